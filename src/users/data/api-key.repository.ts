import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type RoleType } from '../../access/role-type';
import { Conditions } from '../../database/sql/conditions';
import { countRows } from '../../database/sql/list-page';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { columnsOf, type EntityRunner, type StatementRunner } from '../../database/sql/statements';
import { ApiKey } from '../entities/api-key.entity';
import { LIMIT_COLUMNS } from '../key-limits';

const SHOWN_PROPERTIES = ['id', 'name', 'created', 'lastUsed', ...LIMIT_COLUMNS] as const;

/** The columns of a key that may be shown. */
export type ApiKeyRow = Pick<ApiKey, (typeof SHOWN_PROPERTIES)[number]>;

/** A key found by its hash, with its user. */
export interface AuthenticatingKey extends Pick<ApiKey, (typeof LIMIT_COLUMNS)[number]> {
  keyId: number;
  keyName: string;
  keyHash: string;
  /** The user's id. */
  id: number;
  roleType: RoleType;
  userId: string;
}

/** Repository of API keys. */
@Injectable()
export class ApiKeyRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns the key with a hash, if its user has not left and is not disabled. Runs before every request with an uncached key.
   */
  async findByHash(hash: string): Promise<AuthenticatingKey | undefined> {
    const [row] = await this.dataSource.query<AuthenticatingKey[]>(
      `SELECT k.id AS keyId, k.name AS keyName, k.key_hash AS keyHash, ${columnsOf('k', LIMIT_COLUMNS)},
              u.id AS id, u.role_type AS roleType, u.user_id AS userId
         FROM api_key k JOIN user u ON u.id = k.user_id
        WHERE k.key_hash = ? AND u.active = 1 AND u.disabled = 0`,
      [hash],
    );
    return row;
  }

  /** Returns the keys of a user, ordered by id. */
  findOfUser(userId: number): Promise<ApiKeyRow[]> {
    return selectRows(this.dataSource, ApiKey, SHOWN_PROPERTIES, 'WHERE user_id = ? ORDER BY id', [userId]);
  }

  /** Returns a key. */
  find(id: number, runner: EntityRunner = this.dataSource): Promise<ApiKeyRow | undefined> {
    return selectRow(runner, ApiKey, SHOWN_PROPERTIES, 'WHERE id = ?', [id]);
  }

  /** Whether a user has the key. */
  async belongsTo(id: number, userId: number): Promise<boolean> {
    const condition = 'WHERE id = ? AND user_id = ?';
    return (await selectRow(this.dataSource, ApiKey, ['id'], condition, [id, userId])) !== undefined;
  }

  /** Counts the keys of a user. */
  countOfUser(userId: number, runner: StatementRunner): Promise<number> {
    return countRows(runner, { from: 'api_key', conditions: new Conditions().add('user_id = ?', userId) });
  }

  /** Inserts a key and returns the id. */
  insert(manager: EntityManager, key: Omit<ApiKey, 'id' | 'user' | 'lastUsed'>): Promise<number> {
    return insertRow(manager, ApiKey, key);
  }

  /** Moves the time of the last use forward, unless it is already later than `before`. */
  async touch(id: number, now: number, before: number): Promise<void> {
    await this.dataSource.query(
      'UPDATE api_key SET last_used = ? WHERE id = ? AND (last_used IS NULL OR last_used <= ?)',
      [now, id, before],
    );
  }

  /** Deletes a key. */
  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM api_key WHERE id = ?', [id]);
  }

  /** Deletes the keys of a user that have expired, so that they do not count. */
  async deleteExpired(manager: EntityManager, userId: number, now: number): Promise<void> {
    await manager.query('DELETE FROM api_key WHERE user_id = ? AND expires <= ?', [userId, now]);
  }

  /** Deletes all keys of a user. */
  async deleteOfUser(manager: EntityManager, userId: number): Promise<void> {
    await manager.query('DELETE FROM api_key WHERE user_id = ?', [userId]);
  }
}
