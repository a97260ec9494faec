import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type EntityManager } from 'typeorm';
import { type Authenticator } from '../access/authenticator';
import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { mayAdminister } from '../access/scopes';
import { hashApiKey, isPlausibleApiKey } from './api-key';
import { AgentRepository } from './data/agent.repository';
import { ApiKeyRepository, type AuthenticatingKey } from './data/api-key.repository';
import { fromStoredLimits, type KeyLimits, toStoredLimits } from './key-limits';
import { UsageService } from './usage.service';

/** Time for which a found key is cached, in milliseconds; a revoked key stops working within this time in every process. */
const CACHE_MS = 3000;
const CACHED_KEYS = 10_000;

/** A valid key with its user. */
interface KnownKey {
  id: number;
  caller: Caller;
  userId: string;
}

/** What is chosen for a new key. */
export interface NewApiKey extends KeyLimits {
  name: string;
}

/** Authenticates requests by API keys, which are stored only as hashes. */
@Injectable()
export class ApiKeysService implements Authenticator {
  private readonly known = new LRUCache<string, KnownKey>({ max: CACHED_KEYS, ttl: CACHE_MS });
  /** Hashes of keys that were found at least once and have not been missing since. */
  private readonly proven = new LRUCache<string, true>({ max: CACHED_KEYS });
  /** Number of calls of `forget`: a key read before a call must not be cached after it. */
  private forgotten = 0;

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly agents: AgentRepository,
    private readonly usage: UsageService,
  ) {}

  /**
   * Returns the user of a key, or undefined. Counts as a use of the account.
   * @param userId the user that the key must belong to, if known
   */
  async authenticate(key: string, userId?: string): Promise<Caller | undefined> {
    const hash = hashApiKey(key);
    const found = this.known.get(hash) ?? (isPlausibleApiKey(key) ? await this.find(hash) : undefined);
    if (!found || (userId !== undefined && userId !== found.userId)) return undefined;
    if (found.caller.expires !== undefined && found.caller.expires <= Date.now()) return undefined;
    await this.usage.note(found.id, found.caller.id);
    return found.caller;
  }

  /**
   * Whether a database query is needed to distinguish the key from a guess: it is well-formed, but has not worked in this
   * process.
   */
  isUnproven(key: string): boolean {
    return isPlausibleApiKey(key) && !this.proven.has(hashApiKey(key));
  }

  /** Stores a key for a user and returns its id. */
  async add(
    manager: EntityManager,
    userId: number,
    key: string,
    { name, ...limits }: NewApiKey,
  ): Promise<number> {
    const row = { userId, name, keyHash: hashApiKey(key), created: Date.now(), ...toStoredLimits(limits) };
    const id = await this.keys.insert(manager, row);
    if (limits.agent !== undefined) {
      await this.agents.insert(manager, { keyId: id, name: limits.agent, keyName: name });
    }
    return id;
  }

  /** Removes the cached keys of a user after a change of their keys, role or state. */
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
    const found = { id: row.keyId, caller: toCaller(row), userId: row.userId };
    if (this.forgotten === forgotten) this.known.set(hash, found);
    return found;
  }
}

/** Returns the user of a key, with its limits. */
function toCaller({ id, roleType, keyId, keyName, ...row }: AuthenticatingKey): Caller {
  const { scopes, projectIds, expires, agent } = fromStoredLimits(row);
  const lacksAdmin =
    roleType === RoleType.Administrator && (projectIds ?? (scopes && !mayAdminister(scopes)));
  return {
    id,
    roleType: lacksAdmin ? RoleType.NormalUser : roleType,
    ...(lacksAdmin && { lacksAdmin: true }),
    ...(scopes && { scopes: new Set(scopes) }),
    ...(projectIds && { projectIds: new Set(projectIds), limitedKeyId: keyId }),
    ...(expires !== undefined && { expires }),
    ...(agent !== undefined && { agent: { name: agent, keyId, keyName } }),
  };
}
