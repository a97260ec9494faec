import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { type AuditAction } from '../audit-log/audit-action';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { type Caller } from '../access/caller';
import { missingScopes, parseScopes } from '../access/scopes';
import {
  InvalidRequestError,
  NoResourceError,
  type Problem,
  UnauthorizedOperationError,
} from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { CountLimitsService } from '../limits/count-limits.service';
import { generateApiKey } from './api-key';
import { ApiKeysService, type NewApiKey } from './api-keys.service';
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
   * @param creator the key that requests it, whose limits the new one cannot exceed
   * @throws InvalidRequestError for scopes or an expiry beyond these, or an expiry in the past, ResourceOverflowError when the user has the
   * maximum number of keys
   */
  async add(
    actor: Actor,
    userId: number,
    { name, scopes, expires }: AddApiKeyDto,
    creator: KeyLimits = {},
  ): Promise<NewApiKeyDto> {
    const added = { name, scopes, expires: expires?.getTime() };
    if (added.expires !== undefined && added.expires <= Date.now()) {
      throw InvalidRequestError.of('expires', 'expires must be in the future.');
    }
    const problems = problemsBeyond(creator, added);
    if (problems.length > 0) throw new InvalidRequestError(problems);
    const key = generateApiKey();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      await this.keys.deleteExpired(manager, userId, Date.now());
      this.limits.require('apiKey', (await this.keys.countOfUser(userId, manager)) + 1);
      const id = await this.apiKeys.add(manager, userId, key, added);
      const dto = toApiKeyDto(await this.findKey(manager, id));
      await this.record(manager, actor, 'apiKey.add', dto, userId);
      return { ...dto, key };
    });
  }

  /**
   * Revokes a key: immediately in this process, within seconds in others.
   * @param revoker the key that requests it
   * @throws InvalidRequestError when no Administrator would have a key left, UnauthorizedOperationError for a key beyond the revoker's limits
   */
  remove(actor: Actor, id: number, userId: number, revoker: KeyLimits = {}): Promise<ApiKeyDto> {
    return this.transactions.run(async (manager) => {
      await this.administrators.requireOtherAdminKey(manager, id, 'apiKeyId');
      await this.users.lock(manager, userId);
      const row = await this.findKey(manager, id);
      const limits = { scopes: parseScopes(row.scopes), expires: row.expires ?? undefined };
      if (problemsBeyond(revoker, limits).length > 0) {
        throw new UnauthorizedOperationError('A key with limits can revoke only keys within these limits.');
      }
      const removed = toApiKeyDto(row);
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

  private async findKey(manager: EntityManager, id: number): Promise<ApiKeyRow> {
    const row = await this.keys.find(id, manager);
    if (!row) throw new NoResourceError('API key');
    return row;
  }
}

/** The limits of a key; absent ones do not limit it. */
type KeyLimits = Pick<Caller, 'scopes' | 'expires'>;

/** Returns what exceeds the limits of the key of a request in another key; none if it is within them. */
function problemsBeyond(
  limits: KeyLimits,
  { scopes, expires }: Pick<NewApiKey, 'scopes' | 'expires'>,
): Problem[] {
  const problems: Problem[] = [];
  const missing = limits.scopes && scopes ? missingScopes(limits.scopes, scopes) : [];
  if (limits.scopes && !scopes) {
    problems.push({
      moreInfo: 'scopes',
      message: 'scopes is required, because the API key of this request is limited by scopes.',
    });
  } else if (missing.length > 0) {
    problems.push({
      moreInfo: 'scopes',
      message: `scopes must not include ${missing.join(', ')}, which the API key of this request lacks.`,
    });
  }
  if (limits.expires !== undefined && (expires ?? Infinity) > limits.expires) {
    const latest = toTimestamp(limits.expires);
    problems.push({
      moreInfo: 'expires',
      message: `expires must not be later than ${latest}, when the API key of this request expires.`,
    });
  }
  return problems;
}

const toApiKeyDto = ({ id, name, scopes, created, expires, lastUsed }: ApiKeyRow): ApiKeyDto => ({
  id,
  name,
  scopes: parseScopes(scopes) ?? null,
  created: toTimestamp(created),
  expires: expires === null ? null : toTimestamp(expires),
  lastUsed: lastUsed === null ? null : toTimestamp(lastUsed),
});
