import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { affectedRows, inList } from '../../database/sql/statements';
import { SsoAttempt } from '../entities/sso-attempt.entity';

const KEYS = ['providerId', 'purpose', 'userId', 'sessionId', 'invitationHash', 'target', 'created'] as const;

/** An attempt found by its hash. */
export type AttemptRow = Pick<SsoAttempt, (typeof KEYS)[number]>;

/** Repository of browsers that have gone to an identity provider. */
@Injectable()
export class SsoAttemptRepository {
  async insert(manager: EntityManager, attempt: Omit<SsoAttempt, 'provider' | 'user'>): Promise<void> {
    await insertRow(manager, SsoAttempt, attempt);
  }

  /** Deletes the attempt with a hash, and returns it; undefined if it has expired, or another call has taken it. */
  async take(manager: EntityManager, tokenHash: string, now: number): Promise<AttemptRow | undefined> {
    const condition = 'WHERE token_hash = ? AND expires > ?';
    const found = await selectRow(manager, SsoAttempt, KEYS, condition, [tokenHash, now]);
    const sql = 'DELETE FROM sso_attempt WHERE token_hash = ?';
    return found && (await affectedRows(manager, sql, [tokenHash])) > 0 ? found : undefined;
  }

  /** Deletes what a user wants to connect or to confirm. */
  async deleteOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM sso_attempt WHERE user_id = ?', [userId]);
  }

  /** Deletes up to `limit` attempts that have expired, and returns their number. */
  async deleteExpired(manager: EntityManager, now: number, limit: number): Promise<number> {
    const condition = `WHERE expires <= ? ORDER BY expires LIMIT ${limit}`;
    const rows = await selectRows(manager, SsoAttempt, ['tokenHash'], condition, [now]);
    if (rows.length === 0) return 0;
    const list = inList(rows.map(({ tokenHash }) => tokenHash));
    return affectedRows(manager, `DELETE FROM sso_attempt WHERE token_hash ${list.sql}`, list.parameters);
  }
}
