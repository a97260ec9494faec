import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from './caller';
import { insertRow } from '../database/statements';
import { hashApiKey, isPlausibleApiKey } from './api-key';
import { ApiKey } from './entities/api-key.entity';
import { type RoleType } from './role-type';
import { UsersService } from './users.service';

/** How long a found key is believed; a revoked one stops working within it, in every process. */
const CACHE_MS = 3000;
const CACHED_KEYS = 10_000;

interface KeyRow {
  keyHash: string;
  id: number;
  roleType: RoleType;
}

/** API keys: made here, stored as hashes, and found again for each request. */
@Injectable()
export class ApiKeysService {
  private readonly callers = new LRUCache<string, Caller>({ max: CACHED_KEYS, ttl: CACHE_MS });

  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
  ) {}

  /** The user whose key it is, or undefined; counts as a use of the account. */
  async authenticate(key: string): Promise<Caller | undefined> {
    const hash = hashApiKey(key);
    const caller =
      this.callers.get(hash) ?? (isPlausibleApiKey(key) ? await this.findCaller(hash) : undefined);
    if (caller) await this.users.touch(caller.id);
    return caller;
  }

  /** Stores a key for a user. */
  async add(manager: EntityManager, userId: number, name: string, key: string): Promise<void> {
    await insertRow(manager, ApiKey, { userId, name, keyHash: hashApiKey(key), created: Date.now() });
  }

  private async findCaller(hash: string): Promise<Caller | undefined> {
    const [row] = await this.dataSource.query<KeyRow[]>(
      `SELECT k.key_hash AS keyHash, u.id AS id, u.role_type AS roleType
         FROM api_key k JOIN user u ON u.id = k.user_id
        WHERE k.key_hash = ?`,
      [hash],
    );
    if (!row || !timingSafeEqual(Buffer.from(row.keyHash), Buffer.from(hash))) return undefined;
    const caller = { id: row.id, roleType: row.roleType };
    this.callers.set(hash, caller);
    return caller;
  }
}
