import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../background/background.service';
import { PasskeyChallengesService } from '../second-factors/passkeys/passkey-challenges.service';
import { PasswordLinksService } from './password-links.service';
import { SecondStepService } from './second-step.service';
import { SignInAttemptsService } from './sign-in-attempts.service';

const INTERVAL_MS = 60 * 60_000;
/** Number of rows removed in one transaction. */
const BATCH = 500;

/** Removes expired links and challenges, and failed sign-ins that are to be forgotten, in small transactions. */
@Injectable()
export class SignInRetentionService {
  constructor(
    background: BackgroundService,
    links: PasswordLinksService,
    steps: SecondStepService,
    passkeyChallenges: PasskeyChallengesService,
    attempts: SignInAttemptsService,
  ) {
    const work = background.add(
      'sign_in_retention',
      async () => {
        await links.removeExpired();
        await steps.removeExpired();
        await passkeyChallenges.removeExpired();
        await work.inBatches(BATCH, (limit) => attempts.removeExpired(limit));
      },
      { intervalMs: INTERVAL_MS, failure: 'Could not remove old data of signing in' },
    );
  }
}
