import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { type AuditAction } from '../audit-log/audit-action';
import { auditChanges } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { CountLimitsService } from '../limits/count-limits.service';
import { generateApiKey } from './api-key';
import { ApiKeysService } from './api-keys.service';
import { ApiKeyRepository, type ApiKeyRow } from './data/api-key.repository';
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
   * @throws ResourceOverflowError when the user has the maximum number of keys
   */
  add(actor: Actor, userId: number, name: string): Promise<NewApiKeyDto> {
    const key = generateApiKey();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      this.limits.require('apiKey', (await this.keys.countOfUser(userId, manager)) + 1);
      const id = await this.apiKeys.add(manager, userId, name, key);
      const added = await this.getKey(manager, id);
      await this.record(manager, actor, 'apiKey.add', added, userId);
      return { ...added, key };
    });
  }

  /**
   * Revokes a key: immediately in this process, within seconds in others.
   * @throws InvalidRequestError when no Administrator would have a key left
   */
  remove(actor: Actor, id: number, userId: number): Promise<ApiKeyDto> {
    return this.transactions.run(async (manager) => {
      await this.administrators.requireOtherAdminKey(manager, id, 'apiKeyId');
      await this.users.lock(manager, userId);
      const removed = await this.getKey(manager, id);
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
    { id, name }: ApiKeyDto,
    ownerId: number,
  ): Promise<void> {
    const owner = { userId: (await this.users.get(ownerId, manager)).userId };
    const changes =
      action === 'apiKey.add' ? auditChanges({}, owner, ['userId']) : auditChanges(owner, {}, ['userId']);
    await this.auditLog.record(manager, actor, { action, subject: { id, name }, changes });
  }

  private async getKey(manager: EntityManager, id: number): Promise<ApiKeyDto> {
    const row = await this.keys.find(id, manager);
    if (!row) throw new NoResourceError('API key');
    return toApiKeyDto(row);
  }
}

const toApiKeyDto = ({ id, name, created, lastUsed }: ApiKeyRow): ApiKeyDto => ({
  id,
  name,
  created: toTimestamp(created),
  lastUsed: lastUsed === null ? null : toTimestamp(lastUsed),
});
