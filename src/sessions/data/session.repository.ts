import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { affectedRows, type EntityRunner, inList } from '../../database/sql/statements';
import { Session } from '../entities/session.entity';

const SHOWN_PROPERTIES = [
  'id',
  'created',
  'lastSeen',
  'expires',
  'secondFactor',
  'address',
  'userAgent',
] as const;

/** The columns of a session that may be shown. */
export type SessionRow = Pick<Session, (typeof SHOWN_PROPERTIES)[number]>;

const AUTHENTICATING_PROPERTIES = ['id', 'userId', 'tokenHash', 'expires', 'authenticated'] as const;

/** A session found by its hash. */
export type AuthenticatingSession = Pick<Session, (typeof AUTHENTICATING_PROPERTIES)[number]>;

/** Repository of sessions. */
@Injectable()
export class SessionRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the session with a hash. Runs before every request with an uncached session. */
  findByHash(
    hash: string,
    runner: EntityRunner = this.dataSource,
  ): Promise<AuthenticatingSession | undefined> {
    return selectRow(runner, Session, AUTHENTICATING_PROPERTIES, 'WHERE token_hash = ?', [hash]);
  }

  /** Returns the sessions of a user that have not expired, the last used first. */
  findOfUser(userId: number, now: number, runner: EntityRunner = this.dataSource): Promise<SessionRow[]> {
    const rest = 'WHERE user_id = ? AND expires > ? ORDER BY last_seen DESC, id DESC';
    return selectRows(runner, Session, SHOWN_PROPERTIES, rest, [userId, now]);
  }

  /** Returns a session of a user. */
  find(id: number, userId: number, runner: EntityRunner = this.dataSource): Promise<SessionRow | undefined> {
    return selectRow(runner, Session, SHOWN_PROPERTIES, 'WHERE id = ? AND user_id = ?', [id, userId]);
  }

  /** Returns the addresses from which a user has signed in, in sessions that have not expired. */
  async findAddresses(userId: number, now: number): Promise<string[]> {
    const rest = 'WHERE user_id = ? AND expires > ?';
    const rows = await selectRows(this.dataSource, Session, ['address'], rest, [userId, now]);
    return rows.map(({ address }) => address);
  }

  /** Inserts a session and returns the id. */
  insert(manager: EntityManager, session: Omit<Session, 'id' | 'user'>): Promise<number> {
    return insertRow(manager, Session, session);
  }

  /**
   * Moves the time of the last use forward, unless it is already later than `before`, and with it the end: `idle` milliseconds later, but at
   * most `total` after the creation.
   */
  async touch(
    id: number,
    { now, before, idle, total }: Readonly<Record<'now' | 'before' | 'idle' | 'total', number>>,
  ): Promise<void> {
    await this.dataSource.query(
      `UPDATE \`session\` SET last_seen = ?,
              expires = CASE WHEN created + ? < ? THEN created + ? ELSE ? END
        WHERE id = ? AND last_seen <= ?`,
      [now, total, now + idle, total, now + idle, id, before],
    );
  }

  /** Records when the user of a session proved their second factor. */
  async setSecondFactor(manager: EntityManager, id: number, time: number): Promise<void> {
    await manager.query('UPDATE `session` SET second_factor = ? WHERE id = ?', [time, id]);
  }

  /** Deletes sessions. */
  async delete(manager: EntityManager, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const list = inList(ids);
    await manager.query(`DELETE FROM \`session\` WHERE id ${list.sql}`, list.parameters);
  }

  /** Deletes the sessions of a user, except for one if given. */
  async deleteOfUser(manager: EntityManager, userId: number, exceptId = 0): Promise<void> {
    await manager.query('DELETE FROM `session` WHERE user_id = ? AND id <> ?', [userId, exceptId]);
  }

  /** Deletes up to `limit` sessions that have expired, and returns their number. */
  async deleteExpired(manager: EntityManager, now: number, limit: number): Promise<number> {
    const condition = `WHERE expires <= ? ORDER BY id LIMIT ${limit}`;
    const ids = (await selectRows(manager, Session, ['id'], condition, [now])).map(({ id }) => id);
    if (ids.length === 0) return 0;
    const list = inList(ids);
    return affectedRows(manager, `DELETE FROM \`session\` WHERE id ${list.sql}`, list.parameters);
  }
}
