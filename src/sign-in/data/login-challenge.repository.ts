import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { type EntityRunner, inList } from '../../database/sql/statements';
import { LoginChallenge } from '../entities/login-challenge.entity';

const PROPERTIES = ['userId', 'passwordHash', 'authenticated', 'roleType', 'failures'] as const;

/** A challenge found by its hash. */
export type ChallengeRow = Pick<LoginChallenge, (typeof PROPERTIES)[number]>;

/** Repository of sign-ins that wait for a second factor. */
@Injectable()
export class LoginChallengeRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the challenge with a hash that has not expired. */
  find(
    tokenHash: string,
    now: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<ChallengeRow | undefined> {
    const condition = 'WHERE token_hash = ? AND expires > ?';
    return selectRow(runner, LoginChallenge, PROPERTIES, condition, [tokenHash, now]);
  }

  /** Inserts a challenge, and deletes the oldest ones of its user, so that `most` remain. */
  async insert(manager: EntityManager, challenge: Omit<LoginChallenge, 'user'>, most: number): Promise<void> {
    const condition = 'WHERE user_id = ? ORDER BY expires DESC';
    const rows = await selectRows(manager, LoginChallenge, ['tokenHash'], condition, [challenge.userId]);
    const oldest = rows.slice(most - 1).map(({ tokenHash }) => tokenHash);
    if (oldest.length > 0) {
      const list = inList(oldest);
      await manager.query(`DELETE FROM login_challenge WHERE token_hash ${list.sql}`, list.parameters);
    }
    await insertRow(manager, LoginChallenge, challenge);
  }

  async setFailures(manager: EntityManager, tokenHash: string, failures: number): Promise<void> {
    await manager.query('UPDATE login_challenge SET failures = ? WHERE token_hash = ?', [
      failures,
      tokenHash,
    ]);
  }

  async delete(manager: EntityManager, tokenHash: string): Promise<void> {
    await manager.query('DELETE FROM login_challenge WHERE token_hash = ?', [tokenHash]);
  }

  async deleteOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM login_challenge WHERE user_id = ?', [userId]);
  }

  async deleteExpired(manager: EntityManager, now: number): Promise<void> {
    await manager.query('DELETE FROM login_challenge WHERE expires <= ?', [now]);
  }
}
