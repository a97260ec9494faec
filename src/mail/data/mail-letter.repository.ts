import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type FailedDelivery, Leases } from '../../deliveries/data/leases';
import { DeliveryState } from '../../deliveries/delivery-state';
import { hydrateRows, entityColumns, insertRows, selectRow } from '../../database/sql/rows';
import {
  affectedRows,
  type EntityRunner,
  inList,
  isEmbedded,
  placeholders,
} from '../../database/sql/statements';
import { NOTIFICATIONS } from '../../notifications/data/notification-sql';
import { USERS } from '../../users/data/user-sql';
import { type LetterDetail, MailLetter } from '../entities/mail-letter.entity';
import { DEFAULT_MODE, LetterKind, MailMode, URGENT_KINDS } from '../letter-kind';
import { releaseLetters } from './restored-letters';

const CLAIMED_KEYS = [
  'id',
  'kind',
  'userId',
  'address',
  'notificationId',
  'projectId',
  'detail',
  'attempt',
  'leaseToken',
  'leaseUntil',
  'created',
] as const;

/** A letter leased by this process. */
export type ClaimedLetter = Pick<MailLetter, (typeof CLAIMED_KEYS)[number]> & { leaseToken: string };

/** A letter to be written. */
export type NewLetter = Pick<MailLetter, 'kind'> &
  Partial<Pick<MailLetter, 'userId' | 'address' | 'projectId' | 'detail'>>;

/** The columns of a new letter that are the same for all, and their values after those that a statement selects. */
const NEW_COLUMNS = 'detail, state, attempt, next_at, lease_until, created, error';

/** The condition that a user `s` wants letters about a topic at once: its parameter is the bit. */
const WANTS_TOPIC = '(COALESCE(s.muted_topics, 0) & ?) = 0';

/** Repository of letters. */
@Injectable()
export class MailLetterRepository extends Leases {
  constructor(private readonly dataSource: DataSource) {
    super({ table: 'mail_letter' });
  }

  /** Writes letters about notifications, in one statement, for the users who want each of them; returns their number. */
  insertOfNotifications(
    manager: EntityManager,
    notificationIds: readonly number[],
    { topic, detail, now }: { topic: number; detail: LetterDetail | null; now: number },
  ): Promise<number> {
    const list = inList(notificationIds);
    return affectedRows(
      manager,
      `INSERT INTO mail_letter (kind, user_id, notification_id, ${NEW_COLUMNS})
       SELECT ?, n.user_id, n.id, ?, ?, 0, ?, 0, ?, ''
         FROM ${NOTIFICATIONS} LEFT JOIN mail_setting s ON s.user_id = n.user_id
        WHERE n.id ${list.sql} AND COALESCE(s.mode, ?) = ? AND ${WANTS_TOPIC}`,
      [
        LetterKind.Notification,
        detail && JSON.stringify(detail),
        DeliveryState.Pending,
        now,
        now,
        ...list.parameters,
        DEFAULT_MODE,
        MailMode.Each,
        topic,
      ],
    );
  }

  /** Writes a letter for each of these users who wants letters about a topic, in one statement; returns their number. */
  insertOfUsers(
    manager: EntityManager,
    userIds: readonly number[],
    { kind, projectId, detail }: Pick<MailLetter, 'kind' | 'projectId' | 'detail'>,
    { topic, now }: { topic: number; now: number },
  ): Promise<number> {
    const list = inList(userIds);
    return affectedRows(
      manager,
      `INSERT INTO mail_letter (kind, user_id, project_id, ${NEW_COLUMNS})
       SELECT ?, u.id, ?, ?, ?, 0, ?, 0, ?, ''
         FROM ${USERS} LEFT JOIN mail_setting s ON s.user_id = u.id
        WHERE u.id ${list.sql} AND COALESCE(s.mode, ?) <> ? AND ${WANTS_TOPIC}`,
      [
        kind,
        projectId,
        detail && JSON.stringify(detail),
        DeliveryState.Pending,
        now,
        now,
        ...list.parameters,
        DEFAULT_MODE,
        MailMode.None,
        topic,
      ],
    );
  }

  /** Writes letters that are due at once. */
  async insert(manager: EntityManager, letters: readonly NewLetter[], now: number): Promise<void> {
    const rows = letters.map(({ kind, userId = null, address = null, projectId = null, detail = null }) => ({
      kind,
      userId,
      address,
      projectId,
      detail,
      state: DeliveryState.Pending,
      attempt: 0,
      isUrgent: URGENT_KINDS.includes(kind),
      nextAt: now,
      leaseUntil: 0,
      created: now,
      error: '',
    }));
    await insertRows(manager, MailLetter, rows);
  }

  /** Counts the other letters of a kind to an address since a time, up to a limit. */
  async countOthers(
    manager: EntityManager,
    { id, kind, address }: Pick<MailLetter, 'id' | 'kind' | 'address'>,
    since: number,
    limit: number,
  ): Promise<number> {
    const [row] = await manager.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count
         FROM (SELECT id FROM mail_letter WHERE address = ? AND created > ? AND kind = ? AND id <> ? LIMIT ${limit}) found`,
      [address, since, kind, id],
    );
    return Number(row.count);
  }

  /** Notes to which address a letter goes. */
  async setAddress(manager: EntityManager, id: number, address: string): Promise<void> {
    await manager.query('UPDATE mail_letter SET address = ? WHERE id = ?', [address, id]);
  }

  /** Returns the ids of due letters without a lease: urgent ones first, then the earliest. */
  async findDueIds(manager: EntityManager, now: number, limit: number): Promise<number[]> {
    const ids: number[] = [];
    // One range of the index each: urgent letters that are due later are not read.
    for (const isUrgent of [true, false]) {
      if (ids.length >= limit) break;
      const rows = await manager.query<{ id: number }[]>(
        `SELECT id FROM mail_letter WHERE state = ? AND is_urgent = ? AND next_at <= ? AND lease_until <= ?
          ORDER BY next_at, id LIMIT ?`,
        [DeliveryState.Pending, isUrgent ? 1 : 0, now, now, limit - ids.length],
      );
      ids.push(...rows.map(({ id }) => id));
    }
    return ids;
  }

  /** Returns the letters leased with a token: urgent ones first, then the earliest. */
  async findLeased(manager: EntityManager, ids: readonly number[], token: string): Promise<ClaimedLetter[]> {
    const rows = await manager.query<ClaimedLetter[]>(
      `SELECT ${entityColumns(manager, MailLetter, CLAIMED_KEYS, 'l')} FROM mail_letter l
        WHERE l.id IN (${placeholders(ids)}) AND l.lease_token = ? ORDER BY l.is_urgent DESC, l.next_at, l.id`,
      [...ids, token],
    );
    return hydrateRows(manager, MailLetter, CLAIMED_KEYS, rows);
  }

  /** Notes that a leased letter was sent, in a single statement. */
  noteSent({ id, leaseToken }: { id: number; leaseToken: string }, now: number): Promise<void> {
    return this.complete(this.dataSource.manager, leaseToken, [id], now);
  }

  /** Ends the lease of a letter that was not tried and becomes due again later. */
  async defer(manager: EntityManager, { id, leaseToken, nextAt }: Required<FailedDelivery>): Promise<void> {
    await manager.query(
      'UPDATE mail_letter SET next_at = ?, lease_token = NULL, lease_until = 0 WHERE id = ? AND lease_token = ?',
      [nextAt, id, leaseToken],
    );
  }

  /** Notes why the last attempt at a leased letter failed. */
  async noteError(
    manager: EntityManager,
    { id, leaseToken }: { id: number; leaseToken: string },
    error: string,
  ): Promise<void> {
    await manager.query('UPDATE mail_letter SET error = ? WHERE id = ? AND lease_token = ?', [
      error,
      id,
      leaseToken,
    ]);
  }

  /** Notes the token with which the recipient can end letters, by its hash. */
  async setUnsubscribeHash(manager: EntityManager, id: number, hash: string): Promise<void> {
    await manager.query('UPDATE mail_letter SET unsubscribe_hash = ? WHERE id = ?', [hash, id]);
  }

  /** Returns the user of the letter with a token. */
  async findUserOfToken(hash: string, runner: EntityRunner = this.dataSource): Promise<number | undefined> {
    const row = await selectRow(runner, MailLetter, ['userId'], 'WHERE unsubscribe_hash = ?', [hash]);
    return row?.userId ?? undefined;
  }

  /** Ends the leases of earlier processes on the embedded database, which belongs to this process alone. */
  async releaseAbandoned(manager: EntityManager): Promise<void> {
    if (isEmbedded(manager.dataSource)) await releaseLetters(manager);
  }

  /** Removes letters leased with a token. */
  async removeLeased(manager: EntityManager, token: string, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM mail_letter WHERE id ${list.sql} AND lease_token = ?`, [
      ...list.parameters,
      token,
    ]);
  }

  async removeOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM mail_letter WHERE user_id = ?', [userId]);
  }

  /** Removes up to `limit` letters of a project and returns their number. */
  async removeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    return this.removeSome(manager, 'WHERE project_id = ?', [projectId], limit);
  }

  /**
   * Removes the letters from before a time, of the first `limit` that follow an id; returns the number read, or 0 if none of them was old
   * enough, and the id to continue after. Ids are in the order of time.
   */
  async removeOlder(
    manager: EntityManager,
    before: number,
    { after, limit }: { after: number; limit: number },
  ): Promise<{ count: number; last: number }> {
    const rows = await manager.query<{ id: number; created: number }[]>(
      `SELECT id AS id, created AS created FROM mail_letter WHERE id > ? ORDER BY id LIMIT ${limit}`,
      [after],
    );
    const old = rows.filter(({ created }) => created < before).map(({ id }) => id);
    if (old.length > 0) await this.remove(manager, old);
    return { count: old.length === 0 ? 0 : rows.length, last: rows.at(-1)?.id ?? after };
  }

  private async remove(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM mail_letter WHERE id ${list.sql}`, list.parameters);
  }

  private async removeSome(
    manager: EntityManager,
    where: string,
    parameters: readonly unknown[],
    limit: number,
  ): Promise<number> {
    const rows = await manager.query<{ id: number }[]>(`SELECT id FROM mail_letter ${where} LIMIT ${limit}`, [
      ...parameters,
    ]);
    if (rows.length > 0)
      await this.remove(
        manager,
        rows.map(({ id }) => id),
      );
    return rows.length;
  }
}
