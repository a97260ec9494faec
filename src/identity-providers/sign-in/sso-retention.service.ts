import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../background/background.service';
import { SingleSignOnService } from './single-sign-on.service';

const INTERVAL_MS = 60 * 60_000;
/** Number of attempts removed in one transaction. */
const BATCH = 500;

/** Removes attempts of browsers that have not come back, in small transactions. */
@Injectable()
export class SsoRetentionService {
  constructor(background: BackgroundService, signOn: SingleSignOnService) {
    const work = background.add(
      'sso_retention',
      () => work.inBatches(BATCH, (limit) => signOn.removeExpired(limit)),
      { intervalMs: INTERVAL_MS, failure: 'Could not remove expired attempts of single sign-on' },
    );
  }
}
