import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isUnavailable } from '../database/connections/database-errors';
import { UserRepository } from './data/user.repository';

/** Minimum interval between updates of a user's `lastLoginTime` and of the last use of a credential, in milliseconds. */
const INTERVAL_MS = 60_000;
const REMEMBERED_CREDENTIALS = 10_000;
const MAX_WAIT_MS = 200;

/** Stores a use of a credential at `now`, unless one at `before` or later is stored. */
type Touch = (now: number, before: number) => Promise<void>;

/** Records when accounts and their credentials were last used, for `lastLoginTime` (`docs/decisions/0001-wire-protocol.md#responses`). */
@Injectable()
export class UsageService {
  private readonly logger = new Logger(UsageService.name);
  private readonly recentlyNoted = new LRUCache<string, true>({
    max: REMEMBERED_CREDENTIALS,
    ttl: INTERVAL_MS,
  });

  constructor(private readonly users: UserRepository) {}

  /**
   * Records a use of a user's credential. A request waits only briefly for this: a read must not hang because another transaction is
   * writing.
   * @param hash of the credential
   * @returns undefined if a use has been recorded lately, as for most requests, so that they need not wait for a promise
   */
  note(hash: string, userId: number, touch: Touch): Promise<void> | undefined {
    if (this.recentlyNoted.has(hash)) return undefined;
    this.recentlyNoted.set(hash, true);
    return Promise.race([this.write(hash, userId, touch), sleep(MAX_WAIT_MS, undefined, { ref: false })]);
  }

  private async write(hash: string, userId: number, touch: Touch): Promise<void> {
    const now = Date.now();
    const before = now - INTERVAL_MS;
    try {
      await this.users.touch(userId, now, before);
      await touch(now, before);
    } catch (error) {
      // Another transaction is writing, or the database is unavailable, which the request itself will report. The next use is
      // recorded.
      this.recentlyNoted.delete(hash);
      if (!isUnavailable(error)) this.logger.error({ err: error }, 'Could not store the use of an account');
    }
  }
}
