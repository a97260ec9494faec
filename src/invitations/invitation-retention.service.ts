import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../background/background.service';
import { InvitationsService } from './invitations.service';

const INTERVAL_MS = 60 * 60_000;
/** Number of invitations removed in one transaction. */
const BATCH = 500;

/** Removes invitations that expired, or were accepted, long ago, in small transactions. */
@Injectable()
export class InvitationRetentionService {
  constructor(background: BackgroundService, invitations: InvitationsService) {
    const work = background.add(
      'invitation_retention',
      () => work.inBatches(BATCH, (limit) => invitations.removeOld(limit)),
      { intervalMs: INTERVAL_MS, failure: 'Could not remove old invitations' },
    );
  }
}
