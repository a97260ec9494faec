import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { isUnavailable } from '../database/database-errors';

/** A use moves `lastLoginTime` of the user and `lastUsed` of the key at most once in this time. */
const INTERVAL_MS = 60_000;
const REMEMBERED_KEYS = 10_000;
const MAX_WAIT_MS = 200;

/** Notes when accounts and keys were last used, for `lastLoginTime` (`docs/decisions/0007-responses.md`). */
@Injectable()
export class UsageService {
  private readonly logger = new Logger(UsageService.name);
  private readonly recentlyNoted = new LRUCache<number, true>({ max: REMEMBERED_KEYS, ttl: INTERVAL_MS });

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Notes that the key of a user is used. A request waits for it only a moment: a read must not hang because somebody else
   * is writing.
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
      await this.dataSource.query(
        'UPDATE user SET last_login_time = ? WHERE id = ? AND last_login_time <= ?',
        [now, userId, before],
      );
      await this.dataSource.query(
        'UPDATE api_key SET last_used = ? WHERE id = ? AND (last_used IS NULL OR last_used <= ?)',
        [now, keyId, before],
      );
    } catch (error) {
      // Somebody else is writing, or the database is away, which the request itself will tell; the next use will do.
      this.recentlyNoted.delete(keyId);
      if (!isUnavailable(error)) this.logger.error({ err: error }, 'Could not note the use of an account');
    }
  }
}
