import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { type AuditAction } from '../audit-log/audit-action';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { type Caller } from '../access/caller';
import { missingScopes, type Scope } from '../access/scopes';
import {
  InsufficientScopeError,
  InvalidRequestError,
  NoResourceError,
  UnauthorizedOperationError,
} from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { CountLimitsService } from '../limits/count-limits.service';
import { generateApiKey } from './api-key';
import { ApiKeysService } from './api-keys.service';
import { ApiKeyRepository, type ApiKeyRow } from './data/api-key.repository';
import { type AddApiKeyDto } from './dto/add-api-key.dto';
import { type ApiKeyDto, type NewApiKeyDto } from './dto/api-key.dto';
import { LastAdministratorService } from './last-administrator.service';
import { UsersService } from './users.service';

/** Lists, adds and revokes the API keys of a user. */
@Injectable()
export class ApiKeyAdministrationService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly apiKeys: ApiKeysService,
    private readonly administrators: LastAdministratorService,
    private readonly auditLog: AuditLogService,
    private readonly limits: CountLimitsService,
  ) {}

  /** Returns the keys of a user, ordered by id. */
  async list(userId: number): Promise<ApiKeyDto[]> {
    return (await this.keys.findOfUser(userId)).map(toApiKeyDto);
  }

  /**
   * Creates a key.
   * @param creator the key that requests it, which cannot create one that may do more or lives longer
   * @throws InvalidRequestError for missing scopes, or an expiry in the past or after the creator's, InsufficientScopeError for scopes that
   * the creator lacks, ResourceOverflowError when the user has the maximum number of keys
   */
  async add(
    actor: Actor,
    userId: number,
    { name, scopes, expires }: AddApiKeyDto,
    creator: KeyLimits = {},
  ): Promise<NewApiKeyDto> {
    requireWeaker(creator, scopes);
    const added = { name, scopes, expires: expires?.getTime() };
    requireEarlier(creator, added.expires);
    const key = generateApiKey();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      this.limits.require('apiKey', (await this.keys.countOfUser(userId, manager)) + 1);
      const id = await this.apiKeys.add(manager, userId, key, added);
      const dto = await this.getKey(manager, id);
      await this.record(manager, actor, 'apiKey.add', dto, userId);
      return { ...dto, key };
    });
  }

  /**
   * Revokes a key: immediately in this process, within seconds in others.
   * @param revoker the key that requests it, which cannot revoke one that may do more
   * @throws InvalidRequestError when no Administrator would have a key left, UnauthorizedOperationError for a key that may do more
   */
  remove(actor: Actor, id: number, userId: number, revoker: KeyLimits = {}): Promise<ApiKeyDto> {
    return this.transactions.run(async (manager) => {
      await this.administrators.requireOtherAdminKey(manager, id, 'apiKeyId');
      await this.users.lock(manager, userId);
      const removed = await this.getKey(manager, id);
      if (revoker.scopes && (!removed.scopes || missingScopes(revoker.scopes, removed.scopes).length > 0)) {
        throw new UnauthorizedOperationError('The key that revokes the key may do less.');
      }
      await this.keys.delete(manager, id);
      await this.record(manager, actor, 'apiKey.delete', removed, userId);
      this.transactions.afterCommit(manager, () => this.apiKeys.forget(userId));
      return removed;
    });
  }

  private async record(
    manager: EntityManager,
    actor: Actor,
    action: AuditAction,
    { id, name, scopes, expires }: ApiKeyDto,
    ownerId: number,
  ): Promise<void> {
    const { userId } = await this.users.get(ownerId, manager);
    const values = { userId, scopes: scopes?.join(' ') ?? null, expires };
    const [before, after] = action === 'apiKey.add' ? [{}, values] : [values, {}];
    const changes = auditChanges(before, after, ['userId', 'scopes', 'expires']);
    await this.auditLog.record(manager, actor, { action, subject: { id, name }, changes });
  }

  private async getKey(manager: EntityManager, id: number): Promise<ApiKeyDto> {
    const row = await this.keys.find(id, manager);
    if (!row) throw new NoResourceError('API key');
    return toApiKeyDto(row);
  }
}

/** The limits of a key; absent ones do not limit it. */
type KeyLimits = Pick<Caller, 'scopes' | 'expires'>;

/** @throws InsufficientScopeError naming the scopes of a new key that its creator lacks, InvalidRequestError if it would have no limits */
function requireWeaker({ scopes: own }: KeyLimits, scopes?: readonly Scope[]): void {
  if (!own) return;
  if (!scopes) {
    throw InvalidRequestError.of(
      'scopes',
      'scopes must be given, because the key that adds the key has scopes.',
    );
  }
  const missing = missingScopes(own, scopes);
  if (missing.length > 0) throw new InsufficientScopeError(missing);
}

function requireEarlier({ expires: own = Infinity }: KeyLimits, expires = Infinity): void {
  if (expires <= Date.now()) throw InvalidRequestError.of('expires', 'expires must be in the future.');
  if (expires > own) {
    throw InvalidRequestError.of(
      'expires',
      'expires must not be after the expiry of the key that adds the key.',
    );
  }
}

const toApiKeyDto = ({ id, name, scopes, created, expires, lastUsed }: ApiKeyRow): ApiKeyDto => ({
  id,
  name,
  scopes: (scopes?.split(' ') as Scope[] | undefined) ?? null,
  created: toTimestamp(created),
  expires: expires === null ? null : toTimestamp(expires),
  lastUsed: lastUsed === null ? null : toTimestamp(lastUsed),
});
