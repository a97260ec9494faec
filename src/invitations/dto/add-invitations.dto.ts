import { EVERYONE, RoleType } from '../../access/role-type';
import { IdListField, NumericEnumField } from '../../http/request/fields';
import { MailAddressListField } from '../../users/dto/user-fields';

/** Maximum number of people invited at once. */
export const MAX_ADDRESSES = 100;
/** Maximum number of projects, and of teams, of an invitation: all are joined in one transaction. */
const MAX_JOINED = 50;

/** Body of `POST /invitations`. */
export class AddInvitationsDto {
  @MailAddressListField({
    description: 'The mail addresses of the people, each of whom gets an invitation.',
    min: 1,
    max: MAX_ADDRESSES,
    example: ['kim@example.com', 'sam@example.com'],
  })
  mailAddresses: string[];

  @NumericEnumField({
    description: '1 Administrator, 2 Normal User, 3 Reporter, 4 Viewer, 5 Guest Reporter, 6 Guest Viewer.',
    codes: EVERYONE,
    example: RoleType.NormalUser,
  })
  roleType: RoleType;

  @IdListField({
    description: 'Ids of the projects of which they become members.',
    max: MAX_JOINED,
    optional: true,
    example: [1],
  })
  projectIds: number[] = [];

  @IdListField({
    description: 'Ids of the teams of which they become members.',
    max: MAX_JOINED,
    optional: true,
    example: [1],
  })
  teamIds: number[] = [];
}
