import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../background/background.service';
import { SessionsService } from './sessions.service';

const INTERVAL_MS = 60 * 60_000;
/** Number of sessions removed in one transaction. */
const BATCH = 500;

/** Removes expired sessions in small transactions. */
@Injectable()
export class SessionRetentionService {
  constructor(background: BackgroundService, sessions: SessionsService) {
    const work = background.add(
      'session_retention',
      () => work.inBatches(BATCH, (limit) => sessions.removeExpired(limit)),
      { intervalMs: INTERVAL_MS, failure: 'Could not remove expired sessions' },
    );
  }
}
