import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { ServiceUnavailableError } from '../errors/domain-errors';
import { RateLimit } from '../limits/rate-limit';
import { Turns } from '../limits/turns';
import { hashPassword } from './password';

const WINDOW_SECONDS = 60;
/** Hashes that wait, of all users. */
const MAX_WAITING = 100;
/** Two at a time, a hundred hashes take half of this. */
const MAX_WAIT_MS = 10_000;

/**
 * Hashes passwords, few at once: each takes a tenth of a second of one of the four threads that files are read and written on,
 * too.
 */
@Injectable()
export class PasswordHasherService {
  private readonly turns: Turns<'hash'>;
  private readonly changes: RateLimit;

  constructor(environment: Environment) {
    this.turns = new Turns({
      atOnce: environment.PASSWORD_HASH_CONCURRENCY,
      maxWaiting: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
      refusal: () => new ServiceUnavailableError(),
    });
    this.changes = new RateLimit(environment.MAX_PASSWORD_CHANGES, WINDOW_SECONDS);
  }

  /**
   * What is stored of a password.
   * @param gone makes a hash that has not begun leave the queue
   * @throws ServiceUnavailableError when too many wait
   */
  hash(password: string, gone?: AbortSignal): Promise<string> {
    return this.turns.run('hash', () => hashPassword(password), gone);
  }

  /**
   * The same for a password that replaces another, be it one's own or not.
   * @param callerId the user who asks
   * @throws TooManyRequestsError when the user changes passwords too often, ServiceUnavailableError
   */
  async hashChange(callerId: number, password: string, gone?: AbortSignal): Promise<string> {
    await this.changes.count(String(callerId));
    return this.hash(password, gone);
  }
}
