import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isUnavailable } from '../database/connections/database-errors';
import { ApiKeyRepository } from './data/api-key.repository';
import { UserRepository } from './data/user.repository';

/** Minimum interval between updates of a user's `lastLoginTime` and a key's `lastUsed`, in milliseconds. */
const INTERVAL_MS = 60_000;
const REMEMBERED_KEYS = 10_000;
const MAX_WAIT_MS = 200;

/** Records when accounts and keys were last used, for `lastLoginTime` (`docs/decisions/0001-wire-protocol.md#responses`). */
@Injectable()
export class UsageService {
  private readonly logger = new Logger(UsageService.name);
  private readonly recentlyNoted = new LRUCache<number, true>({ max: REMEMBERED_KEYS, ttl: INTERVAL_MS });

  constructor(
    private readonly users: UserRepository,
    private readonly keys: ApiKeyRepository,
  ) {}

  /**
   * Records a use of a user's key. A request waits only briefly for this: a read must not hang because another transaction is
   * writing.
   */
  async note(keyId: number, userId: number): Promise<void> {
    if (this.recentlyNoted.has(keyId)) return;
    this.recentlyNoted.set(keyId, true);
    await Promise.race([this.write(keyId, userId), sleep(MAX_WAIT_MS, undefined, { ref: false })]);
  }

  private async write(keyId: number, userId: number): Promise<void> {
    const now = Date.now();
    const before = now - INTERVAL_MS;
    try {
      await this.users.touch(userId, now, before);
      await this.keys.touch(keyId, now, before);
    } catch (error) {
      // Another transaction is writing, or the database is unavailable, which the request itself will report. The next use is
      // recorded.
      this.recentlyNoted.delete(keyId);
      if (!isUnavailable(error)) this.logger.error({ err: error }, 'Could not store the use of an account');
    }
  }
}
