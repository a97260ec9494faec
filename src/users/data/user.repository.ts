import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { RoleType } from '../../access/role-type';
import { Conditions } from '../../database/sql/conditions';
import { isReferenceError } from '../../database/connections/database-errors';
import { idBatches } from '../../database/sql/id-batches';
import { countRows } from '../../database/sql/list-page';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import {
  type EntityRunner,
  forWrite,
  inList,
  lockRow,
  lockRows,
  type StatementRunner,
} from '../../database/sql/statements';
import { User } from '../entities/user.entity';
import { USER_COLUMNS, type UserRow } from '../user.mapper';

/** The columns of a user for operators of the service. */
export type AccountRow = UserRow & {
  disabled: boolean | number;
  created: number | string;
  /** Last use of one of the user's keys; null if none has been used. */
  keysLastUsed: number | string | null;
};

const SELECT_ACCOUNTS = `SELECT ${USER_COLUMNS}, disabled, created,
    (SELECT MAX(k.last_used) FROM api_key k WHERE k.user_id = u.id) AS keysLastUsed
  FROM user u WHERE active = 1`;

/** Repository of users. */
@Injectable()
export class UserRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns all users who have not left, in batches ordered by id. */
  findAllActive(): AsyncIterable<UserRow[]> {
    return idBatches((afterId, limit) =>
      this.dataSource.query<UserRow[]>(
        `SELECT ${USER_COLUMNS} FROM user WHERE id > ? AND active = 1 ORDER BY id LIMIT ?`,
        [afterId, limit],
      ),
    );
  }

  /** Returns all users who have not left and whether they are disabled, ordered by id. */
  findAccounts(): Promise<AccountRow[]> {
    return this.dataSource.query<AccountRow[]>(`${SELECT_ACCOUNTS} ORDER BY id`);
  }

  /** Returns a user who has not left, and whether they are disabled. */
  async findAccount(id: number): Promise<AccountRow | undefined> {
    const [row] = await this.dataSource.query<AccountRow[]>(`${SELECT_ACCOUNTS} AND id = ?`, [id]);
    return row;
  }

  /** Returns the users with these ids, including those who have left. */
  findByIds(ids: readonly number[], runner: StatementRunner = this.dataSource): Promise<UserRow[]> {
    const list = inList(ids);
    return runner.query<UserRow[]>(`SELECT ${USER_COLUMNS} FROM user WHERE id ${list.sql}`, list.parameters);
  }

  /** Returns the users with these ids who have not left. */
  findActiveByIds(ids: readonly number[], runner: StatementRunner = this.dataSource): Promise<UserRow[]> {
    const list = inList(ids);
    return runner.query<UserRow[]>(
      `SELECT ${USER_COLUMNS} FROM user WHERE id ${list.sql} AND active = 1`,
      list.parameters,
    );
  }

  /** Returns the ids of the first users who have not left, ascending. */
  async findFirstActiveIds(limit: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT id FROM user WHERE active = 1 ORDER BY id LIMIT ${limit}`,
      [],
    );
    return rows.map(({ id }) => id);
  }

  /** Whether a user has not left; undefined for an unknown id. */
  async isActive(id: number, runner: EntityRunner = this.dataSource): Promise<boolean | undefined> {
    return (await selectRow(runner, User, ['active'], 'WHERE id = ?', [id]))?.active;
  }

  /** Whether a user that the transaction then changes is disabled; undefined for an unknown id. */
  async isDisabled(id: number, manager: EntityManager): Promise<boolean | undefined> {
    const condition = `WHERE id = ?${forWrite(manager)}`;
    return (await selectRow(manager, User, ['disabled'], condition, [id]))?.disabled;
  }

  /** Returns the role of a user, unless they have left or are disabled. */
  async findEnabledRole(id: number, runner: EntityRunner = this.dataSource): Promise<RoleType | undefined> {
    const condition = 'WHERE id = ? AND active = 1 AND disabled = 0';
    return (await selectRow(runner, User, ['roleType'], condition, [id]))?.roleType;
  }

  /** Returns the id of the user who had a `userId` and left. */
  async findFormerId(userId: string, runner: EntityRunner): Promise<number | undefined> {
    return (await selectRow(runner, User, ['id'], 'WHERE user_id = ? AND active = 0', [userId]))?.id;
  }

  /** Returns the id of the user who has a `userId`, or had it and left. */
  async findIdByName(userId: string, runner: EntityRunner = this.dataSource): Promise<number | undefined> {
    return (await selectRow(runner, User, ['id'], 'WHERE user_id = ?', [userId]))?.id;
  }

  /** Whether a user has a `userId`, or had it and left. */
  async hasUserId(userId: string, runner: EntityRunner = this.dataSource): Promise<boolean> {
    return (await this.findIdByName(userId, runner)) !== undefined;
  }

  /** Returns the ids of the first users with a mail address, in lower case, who have not left. */
  async findIdsByMail(
    address: string,
    limit: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<number[]> {
    const condition = `WHERE active = 1 AND LOWER(mail_address) = ? ORDER BY id LIMIT ${limit}`;
    return (await selectRows(runner, User, ['id'], condition, [address])).map(({ id }) => id);
  }

  /** Returns up to ten enabled users with a login name, or with a mail address, whatever its case. */
  findByNameOrAddress(text: string): Promise<UserRow[]> {
    return this.dataSource.query<UserRow[]>(
      `SELECT ${USER_COLUMNS} FROM user
        WHERE active = 1 AND disabled = 0 AND (user_id = ? OR LOWER(mail_address) = ?) ORDER BY id LIMIT 10`,
      [text, text.toLowerCase()],
    );
  }

  /** Returns those of some mail addresses, in lower case, that belong to users who have not left. */
  async findMailAddresses(addresses: readonly string[], runner: EntityRunner): Promise<string[]> {
    const list = inList(addresses);
    const condition = `WHERE active = 1 AND LOWER(mail_address) ${list.sql} ORDER BY id`;
    const rows = await selectRows(runner, User, ['mailAddress'], condition, list.parameters);
    return rows.map(({ mailAddress }) => mailAddress);
  }

  /** Returns a user with the hash of their password, unless they have left or are disabled. */
  findPasswordOwner(
    column: 'id' | 'user_id',
    value: number | string,
    runner: EntityRunner = this.dataSource,
  ): Promise<Pick<User, 'id' | 'userId' | 'passwordHash'> | undefined> {
    const condition = `WHERE ${column} = ? AND active = 1 AND disabled = 0`;
    return selectRow(runner, User, ['id', 'userId', 'passwordHash'], condition, [value]);
  }

  /** Returns the first Administrator with a usable API key, except for one user; null when there is none. */
  findKeyedAdministratorExcept(userId: number, runner: StatementRunner): Promise<number | null> {
    return findKeyedAdministrator(runner, 'u.id', userId);
  }

  /** Returns the first Administrator with a usable API key, except for one key; null when there is none. */
  findKeyedAdministratorExceptKey(apiKeyId: number, runner: StatementRunner): Promise<number | null> {
    return findKeyedAdministrator(runner, 'k.id', apiKeyId);
  }

  /** Counts the users who have not left. */
  countActive(runner: StatementRunner): Promise<number> {
    return countRows(runner, { from: 'user', conditions: new Conditions().add('active = 1') });
  }

  /** Locks a user's row for the rest of the transaction. */
  async lockForUpdate(manager: EntityManager, id: number): Promise<void> {
    await lockRow(manager, 'user', id);
  }

  /** Locks users' rows for the rest of the transaction, in the order of their ids. */
  async lockAllForUpdate(manager: EntityManager, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const list = inList(ids);
    await lockRows(manager, 'user', `WHERE id ${list.sql} ORDER BY id`, list.parameters);
  }

  /** Inserts a user and returns the id. */
  insert(manager: EntityManager, user: Partial<User>): Promise<number> {
    return insertRow(manager, User, user);
  }

  /** Updates columns of a user; `undefined` values are left unchanged. */
  update(manager: EntityManager, id: number, changes: Partial<User>): Promise<void> {
    return updateRow(manager, User, id, changes);
  }

  /** Moves the time of the last use forward, unless it is already later than `before`. */
  async touch(id: number, now: number, before: number): Promise<void> {
    await this.dataSource.query('UPDATE user SET last_login_time = ? WHERE id = ? AND last_login_time <= ?', [
      now,
      id,
      before,
    ]);
  }

  /** Whether an import has added the user for a person whom it did not find. */
  async isPlaceholder(id: number): Promise<boolean> {
    const row = await selectRow(this.dataSource, User, ['placeholder'], 'WHERE id = ?', [id]);
    return row?.placeholder === true;
  }

  /** Deletes a user and cascades; returns false, without a change, when another row references the user. */
  async deleteUnlessReferenced(manager: EntityManager, id: number): Promise<boolean> {
    try {
      await manager.query('DELETE FROM user WHERE id = ?', [id]);
      return true;
    } catch (error) {
      if (isReferenceError(error)) return false;
      throw error;
    }
  }
}

/** The condition that the key `k` has none of the limits in `LIMIT_COLUMNS`. */
const UNLIMITED = 'k.scopes IS NULL AND k.project_ids IS NULL AND k.agent IS NULL AND k.expires IS NULL';

async function findKeyedAdministrator(
  runner: StatementRunner,
  excludedColumn: 'u.id' | 'k.id',
  excludedId: number,
): Promise<number | null> {
  const [row] = await runner.query<[{ id: number | null }]>(
    `SELECT MIN(u.id) AS id FROM user u JOIN api_key k ON k.user_id = u.id
      WHERE u.role_type = ? AND u.active = 1 AND u.disabled = 0
        AND ${UNLIMITED} AND ${excludedColumn} <> ?`,
    [RoleType.Administrator, excludedId],
  );
  return row.id;
}
