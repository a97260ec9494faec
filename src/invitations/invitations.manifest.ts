import { limitFromSetting } from '../limits/count-limit';
import { type Manifest } from '../manifest';
import { idParameter } from '../openapi/path-parameters';
import { Invitation } from './entities/invitation.entity';

export const invitationsManifest = {
  disposable: [Invitation],
  countLimits: {
    invitation: limitFromSetting(
      'MAX_INVITATIONS',
      (most) => `A space can have at most ${most} open invitations.`,
    ),
  },
  tags: { Invitations: 'Links with which people become users.' },
  pathParameters: { invitationId: idParameter('invitation') },
} satisfies Manifest;
