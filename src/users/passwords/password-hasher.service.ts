import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { ServiceUnavailableError } from '../../errors/domain-errors';
import { RateLimit } from '../../limits/rate-limit';
import { Turns } from '../../limits/turns';
import { costOf, hashPassword, PASSWORD_COST, verifyPassword } from './password';

const WINDOW_SECONDS = 60;
/** Maximum number of waiting hashes, of all users together. */
const MAX_WAITING = 100;
/** Twice the time that a hundred hashes take, two at a time. */
const MAX_WAIT_MS = 10_000;

/**
 * Hashes and verifies passwords, few at once: each hash takes a tenth of a second on one of the four threads that also read and write files.
 */
@Injectable()
export class PasswordHasherService {
  /** The cost of each hash. Tests, which add thousands of users, lower it. */
  cost = PASSWORD_COST;
  private readonly turns: Turns<'hash'>;
  private readonly changes: RateLimit;
  private hashOfNobody?: Promise<string>;

  constructor(environment: Environment) {
    this.turns = new Turns({
      atOnce: environment.PASSWORD_HASH_CONCURRENCY,
      maxWaiting: MAX_WAITING,
      maxWaitMs: MAX_WAIT_MS,
      refusal: () => new ServiceUnavailableError(),
    });
    this.changes = new RateLimit('password_changes', environment.MAX_PASSWORD_CHANGES, WINDOW_SECONDS);
  }

  /**
   * Hashes a password for storage.
   * @param gone removes a hash that has not started from the queue
   * @throws ServiceUnavailableError when too many hashes are waiting
   */
  hash(password: string, gone?: AbortSignal): Promise<string> {
    return this.turns.run('hash', () => this.hashNow(password), gone);
  }

  /**
   * Hashes a password that replaces another, within the limit on changes.
   * @param callerId the user who changes it
   * @throws TooManyRequestsError when the user changes passwords too often, ServiceUnavailableError
   */
  async hashChange(callerId: number, password: string, gone?: AbortSignal): Promise<string> {
    await this.changes.count(String(callerId));
    return this.hash(password, gone);
  }

  /**
   * Whether a password is the one of a stored hash. Without one, takes as long and returns false, so that nobody can distinguish the two.
   * @param gone removes a check that has not started from the queue
   * @throws ServiceUnavailableError when too many hashes are waiting
   */
  async verify(password: string, stored: string | null, gone?: AbortSignal): Promise<boolean> {
    const hash = stored ?? (await (this.hashOfNobody ??= this.hashNow('')));
    const isRight = await this.turns.run('hash', () => verifyPassword(password, hash), gone);
    return isRight && stored !== null;
  }

  /** Whether a stored hash costs less than new ones, so that it is to be replaced at the next sign-in. */
  isOutdated(stored: string): boolean {
    return costOf(stored) < this.cost;
  }

  private hashNow(password: string): Promise<string> {
    return hashPassword(password, this.cost);
  }
}
