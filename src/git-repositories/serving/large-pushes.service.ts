import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { TooManyRequestsError } from '../../errors/domain-errors';
import { SharedTurns } from '../../limits/shared-turns';

/** Maximum number of large pushes at once. Each can hold 20 MiB. */
const AT_ONCE = 8;
const MAX_WAITING = 64;

/**
 * Limits the pushes that list thousands of refs, which are held in memory until git has answered: one of each user at a time. Other pushes
 * wait without being read.
 */
@Injectable()
export class LargePushesService {
  private readonly turns: SharedTurns<number>;

  constructor(environment: Environment) {
    const maxWaitMs = environment.GIT_TIMEOUT * 1000;
    this.turns = new SharedTurns({
      atOnce: AT_ONCE,
      perKey: 1,
      maxWaiting: MAX_WAITING,
      maxWaitMs,
      refusal: (limit) =>
        TooManyRequestsError.after('large_pushes', limit === 'perKey' ? 1 : AT_ONCE, maxWaitMs),
    });
  }

  /**
   * Waits for the turn of a user.
   * @returns the function that returns the turn
   * @throws TooManyRequestsError when too many pushes wait, or one waits for longer than `GIT_TIMEOUT`; the reason of the signal
   */
  async take(userId: number, signal: AbortSignal): Promise<() => void> {
    await this.turns.take(userId, { gone: signal });
    return () => this.turns.release(userId);
  }
}
