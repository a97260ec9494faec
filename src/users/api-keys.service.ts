import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager } from 'typeorm';
import { type Authenticator } from '../access/authenticator';
import { type Caller } from '../access/caller';
import { insertRow } from '../database/rows';
import { hashApiKey, isPlausibleApiKey } from './api-key';
import { ApiKey } from './entities/api-key.entity';
import { type RoleType } from '../access/role-type';
import { UsageService } from './usage.service';

/** How long a found key is believed; a revoked one stops working within it, in every process. */
const CACHE_MS = 3000;
const CACHED_KEYS = 10_000;

interface KeyRow {
  keyId: number;
  keyHash: string;
  id: number;
  roleType: RoleType;
}

/** A key that has been found, and whose it is. */
interface KnownKey {
  id: number;
  caller: Caller;
}

/** API keys: stored as hashes, and found again for each request. */
@Injectable()
export class ApiKeysService implements Authenticator {
  private readonly known = new LRUCache<string, KnownKey>({ max: CACHED_KEYS, ttl: CACHE_MS });
  /** Hashes of keys that have been found, however long ago, and were not missing since. */
  private readonly proven = new LRUCache<string, true>({ max: CACHED_KEYS });
  /** How often something has been forgotten: what was read before then is not to be remembered. */
  private forgotten = 0;

  constructor(
    private readonly dataSource: DataSource,
    private readonly usage: UsageService,
  ) {}

  /** The user whose key it is, or undefined; counts as a use of the account. */
  async authenticate(key: string): Promise<Caller | undefined> {
    const hash = hashApiKey(key);
    const found = this.known.get(hash) ?? (isPlausibleApiKey(key) ? await this.find(hash) : undefined);
    if (!found) return undefined;
    await this.usage.note(found.id, found.caller.id);
    return found.caller;
  }

  /** Whether only the database can tell the key from a guess: it could be one, and has not worked in this process. */
  isUnproven(key: string): boolean {
    return isPlausibleApiKey(key) && !this.proven.has(hashApiKey(key));
  }

  /** Stores a key for a user, and gives its id. */
  add(manager: EntityManager, userId: number, name: string, key: string): Promise<number> {
    return insertRow(manager, ApiKey, { userId, name, keyHash: hashApiKey(key), created: Date.now() });
  }

  /** Believes no key of a user any longer: what it says of them has changed. */
  forget(userId: number): void {
    this.forgotten++;
    for (const [hash, { caller }] of this.known.entries()) {
      if (caller.id === userId) this.known.delete(hash);
    }
  }

  private async find(hash: string): Promise<KnownKey | undefined> {
    const { forgotten } = this;
    const [row] = await this.dataSource.query<KeyRow[]>(
      `SELECT k.id AS keyId, k.key_hash AS keyHash, u.id AS id, u.role_type AS roleType
         FROM api_key k JOIN user u ON u.id = k.user_id
        WHERE k.key_hash = ? AND u.active = 1`,
      [hash],
    );
    if (!row || !timingSafeEqual(Buffer.from(row.keyHash), Buffer.from(hash))) {
      this.proven.delete(hash);
      return undefined;
    }
    this.proven.set(hash, true);
    const found = { id: row.keyId, caller: { id: row.id, roleType: row.roleType } };
    if (this.forgotten === forgotten) this.known.set(hash, found);
    return found;
  }
}
