import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { countRows, idPage } from '../../database/sql/list-page';
import {
  entityColumns,
  hydrateRows,
  insertRows,
  selectRow,
  selectRows,
  updateRow,
} from '../../database/sql/rows';
import { affectedRows, type EntityRunner, forWrite, inList } from '../../database/sql/statements';
import { type IdPaging, Page } from '../../paging/page';
import { Invitation } from '../entities/invitation.entity';

const KEYS = [
  'id',
  'mailAddress',
  'roleType',
  'projectIds',
  'teamIds',
  'createdUserId',
  'created',
  'expires',
  'accepted',
  'acceptedUserId',
] as const;

/** The columns of an invitation that may be shown. */
export type InvitationRow = Pick<Invitation, (typeof KEYS)[number]>;

/** The condition that an invitation can be accepted. Its only parameter is the time. */
const OPEN = 'accepted IS NULL AND expires > ?';

/** The condition that an invitation has the token of a hash, in the link that was shown or in the one that was mailed. */
const HAS_TOKEN = '(token_hash = ? OR mailed_token_hash = ?)';

/** Repository of invitations. */
@Injectable()
export class InvitationRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns one page of all invitations. */
  async findPage(query: IdPaging): Promise<Page<InvitationRow>> {
    const { items, next } = await idPage<InvitationRow>(
      this.dataSource,
      {
        select: entityColumns(this.dataSource, Invitation, KEYS, ''),
        from: 'invitation',
        conditions: new Conditions(),
      },
      query,
    );
    return new Page(await hydrateRows(this.dataSource, Invitation, KEYS, items), next);
  }

  /** Returns the newest invitations that can be accepted. */
  findOpen(now: number, limit: number): Promise<InvitationRow[]> {
    const rest = `WHERE ${OPEN} ORDER BY id DESC LIMIT ${limit}`;
    return selectRows(this.dataSource, Invitation, KEYS, rest, [now]);
  }

  /** Returns the invitation with a hash, if it can be accepted. */
  findOpenByHash(tokenHash: string, now: number): Promise<InvitationRow | undefined> {
    const condition = `WHERE ${HAS_TOKEN} AND ${OPEN}`;
    return selectRow(this.dataSource, Invitation, KEYS, condition, [tokenHash, tokenHash, now]);
  }

  /** Returns an invitation if it can be accepted. */
  findOpenById(id: number, now: number): Promise<InvitationRow | undefined> {
    return selectRow(this.dataSource, Invitation, KEYS, `WHERE id = ? AND ${OPEN}`, [id, now]);
  }

  setMailedTokenHash(manager: EntityManager, id: number, mailedTokenHash: string): Promise<void> {
    return updateRow(manager, Invitation, id, { mailedTokenHash });
  }

  async exists(id: number): Promise<boolean> {
    return (await selectRow(this.dataSource, Invitation, ['id'], 'WHERE id = ?', [id])) !== undefined;
  }

  /** Returns an invitation that the transaction then deletes. */
  find(id: number, manager: EntityManager): Promise<InvitationRow | undefined> {
    return selectRow(manager, Invitation, KEYS, `WHERE id = ?${forWrite(manager)}`, [id]);
  }

  /** Counts the invitations that can be accepted. */
  countOpen(manager: EntityManager, now: number): Promise<number> {
    return countRows(manager, { from: 'invitation', conditions: new Conditions().add(OPEN, now) });
  }

  /** Inserts invitations, and returns their ids in the same order. */
  async insert(
    manager: EntityManager,
    invitations: readonly (Partial<Invitation> & { tokenHash: string })[],
  ): Promise<number[]> {
    await insertRows(manager, Invitation, invitations);
    const list = inList(invitations.map(({ tokenHash }) => tokenHash));
    const keys = ['id', 'tokenHash'] as const;
    const rows = await selectRows(manager, Invitation, keys, `WHERE token_hash ${list.sql}`, list.parameters);
    const ids = new Map(rows.map(({ id, tokenHash }) => [tokenHash, id]));
    return invitations.map(({ tokenHash }) => ids.get(tokenHash) ?? 0);
  }

  /** Marks the invitation with a hash as accepted, and returns it; undefined if it cannot be accepted, or has been. */
  async take(manager: EntityManager, tokenHash: string, now: number): Promise<InvitationRow | undefined> {
    const sql = `UPDATE invitation SET accepted = ? WHERE ${HAS_TOKEN} AND ${OPEN}`;
    if ((await affectedRows(manager, sql, [now, tokenHash, tokenHash, now])) === 0) return undefined;
    return selectRow(manager, Invitation, KEYS, `WHERE ${HAS_TOKEN}`, [tokenHash, tokenHash]);
  }

  setAcceptedUser(manager: EntityManager, id: number, acceptedUserId: number): Promise<void> {
    return updateRow(manager, Invitation, id, { acceptedUserId });
  }

  /** Deletes an invitation unless it has been accepted, and returns whether it did. */
  async deleteUnaccepted(manager: EntityManager, id: number): Promise<boolean> {
    const sql = 'DELETE FROM invitation WHERE id = ? AND accepted IS NULL';
    return (await affectedRows(manager, sql, [id])) > 0;
  }

  /** Deletes the invitations of addresses, in lower case, that have not been accepted. */
  async deleteUnacceptedOf(manager: EntityManager, mailAddresses: readonly string[]): Promise<void> {
    const list = inList(mailAddresses);
    await manager.query(
      `DELETE FROM invitation WHERE LOWER(mail_address) ${list.sql} AND accepted IS NULL`,
      list.parameters,
    );
  }

  /** Deletes the invitations by a user that have not been accepted. */
  async deleteUnacceptedBy(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM invitation WHERE created_user_id = ? AND accepted IS NULL', [userId]);
  }

  /**
   * Deletes up to `limit` invitations that expired before a time, unless they were accepted after another; returns their number. An
   * accepted invitation expires within days, too.
   */
  async deleteOld(
    manager: EntityManager,
    { expired, accepted }: Readonly<Record<'expired' | 'accepted', number>>,
    limit: number,
  ): Promise<number> {
    const condition = 'WHERE expires <= ? AND (accepted IS NULL OR accepted <= ?)';
    const ids = await this.findIds(manager, `${condition} ORDER BY id LIMIT ${limit}`, [expired, accepted]);
    if (ids.length === 0) return 0;
    const list = inList(ids);
    return affectedRows(manager, `DELETE FROM invitation WHERE id ${list.sql}`, list.parameters);
  }

  private async findIds(
    runner: EntityRunner,
    rest: string,
    parameters: readonly unknown[],
  ): Promise<number[]> {
    return (await selectRows(runner, Invitation, ['id'], rest, parameters)).map(({ id }) => id);
  }
}
