import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type EntityManager } from 'typeorm';
import { type Authenticator } from '../access/authenticator';
import { type Caller } from '../access/caller';
import { hashApiKey, isPlausibleApiKey } from './api-key';
import { ApiKeyRepository } from './data/api-key.repository';
import { UsageService } from './usage.service';

/** How long a found key is cached; a revoked one stops working within this time in every process. */
const CACHE_MS = 3000;
const CACHED_KEYS = 10_000;

/** A key that has been found, with its user. */
interface KnownKey {
  id: number;
  caller: Caller;
  userId: string;
}

/** Authenticates requests by API keys, of which only hashes are stored. */
@Injectable()
export class ApiKeysService implements Authenticator {
  private readonly known = new LRUCache<string, KnownKey>({ max: CACHED_KEYS, ttl: CACHE_MS });
  /** Hashes of keys that have been found at any time, and have not been missing since. */
  private readonly proven = new LRUCache<string, true>({ max: CACHED_KEYS });
  /** How often `forget` has run: a key that was read before it must not be cached afterwards. */
  private forgotten = 0;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly usage: UsageService,
  ) {}

  /**
   * The user whose key it is, or undefined. Counts as a use of the account.
   * @param userId whose it has to be, if that is known
   */
  async authenticate(key: string, userId?: string): Promise<Caller | undefined> {
    const hash = hashApiKey(key);
    const found = this.known.get(hash) ?? (isPlausibleApiKey(key) ? await this.find(hash) : undefined);
    if (!found || (userId !== undefined && userId !== found.userId)) return undefined;
    await this.usage.note(found.id, found.caller.id);
    return found.caller;
  }

  /** Whether only the database can tell the key from a guess: it is well-formed, but has not worked in this process. */
  isUnproven(key: string): boolean {
    return isPlausibleApiKey(key) && !this.proven.has(hashApiKey(key));
  }

  /** Stores a key for a user and returns its id. */
  add(manager: EntityManager, userId: number, name: string, key: string): Promise<number> {
    return this.keys.insert(manager, { userId, name, keyHash: hashApiKey(key), created: Date.now() });
  }

  /** Drops the cached keys of a user, because their keys, role or state have changed. */
  forget(userId: number): void {
    this.forgotten++;
    for (const [hash, { caller }] of this.known.entries()) {
      if (caller.id === userId) this.known.delete(hash);
    }
  }

  private async find(hash: string): Promise<KnownKey | undefined> {
    const { forgotten } = this;
    const row = await this.keys.findByHash(hash);
    if (!row || !timingSafeEqual(Buffer.from(row.keyHash), Buffer.from(hash))) {
      this.proven.delete(hash);
      return undefined;
    }
    this.proven.set(hash, true);
    const { keyId, id, roleType, userId } = row;
    const found = { id: keyId, caller: { id, roleType }, userId };
    if (this.forgotten === forgotten) this.known.set(hash, found);
    return found;
  }
}
