import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Authenticator } from '../access/authenticator';
import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { mayAdminister } from '../access/scopes';
import { hashApiKey, isPlausibleApiKey } from './api-key';
import { AgentRepository } from './data/agent.repository';
import { ApiKeyRepository, type AuthenticatingKey } from './data/api-key.repository';
import { type KnownCredential, KnownCallersService } from './known-callers.service';
import { fromStoredLimits, type KeyLimits, toStoredLimits } from './key-limits';
import { UsageService } from './usage.service';

/** A valid key with its user. */
interface KnownKey extends KnownCredential {
  id: number;
  userId: string;
}

/** What is chosen for a new key. */
export interface NewApiKey extends KeyLimits {
  name: string;
}

/** Authenticates requests by API keys, which are stored only as hashes. */
@Injectable()
export class ApiKeysService implements Authenticator {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly agents: AgentRepository,
    private readonly usage: UsageService,
    private readonly known: KnownCallersService,
  ) {}

  /**
   * Returns the user of a key, or undefined. Counts as a use of the account.
   * @param userId the user that the key must belong to, if known
   * @param isAnew whether to read them from the database, even if they are cached
   */
  async authenticate(key: string, userId?: string, isAnew = false): Promise<Caller | undefined> {
    const hash = hashApiKey(key);
    const found =
      (isAnew ? undefined : (this.known.get(hash) as KnownKey | undefined)) ??
      (isPlausibleApiKey(key) ? await this.known.load(hash, () => this.find(hash)) : undefined);
    if (!found || (userId !== undefined && userId !== found.userId)) return undefined;
    if (found.caller.expires !== undefined && found.caller.expires <= Date.now()) return undefined;
    const noted = this.usage.note(hash, found.caller.id, (now, before) =>
      this.keys.touch(found.id, now, before),
    );
    if (noted) await noted;
    return found.caller;
  }

  /**
   * Whether a database query is needed to distinguish the key from a guess: it is well-formed, but has not worked in this
   * process.
   */
  isUnproven(key: string): boolean {
    return isPlausibleApiKey(key) && !this.known.isProven(hashApiKey(key));
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

  private async find(hash: string): Promise<KnownKey | undefined> {
    const row = await this.keys.findByHash(hash);
    if (!row || !timingSafeEqual(Buffer.from(row.keyHash), Buffer.from(hash))) return undefined;
    return { id: row.keyId, caller: toCaller(row), userId: row.userId };
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
