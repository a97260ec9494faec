import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { TransactionsService } from '../database/transactions.service';
import { NoResourceError, ResourceOverflowError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { generateApiKey } from './api-key';
import { ApiKeysService } from './api-keys.service';
import { ApiKeyRepository, type ApiKeyRow } from './data/api-key.repository';
import { type ApiKeyDto, type NewApiKeyDto } from './dto/api-key.dto';
import { LastAdministratorService } from './last-administrator.service';
import { UsersService } from './users.service';

const MAX_KEYS = 100;

/** The answer to a request for more keys than a user may have. */
export const API_KEY_LIMIT = `A user can have at most ${MAX_KEYS} API keys.`;

/** Lists, adds and revokes the API keys of a user. */
@Injectable()
export class ApiKeyAdministrationService {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly apiKeys: ApiKeysService,
    private readonly administrators: LastAdministratorService,
  ) {}

  /** The keys of a user, ordered by id. */
  async list(userId: number): Promise<ApiKeyDto[]> {
    return (await this.keys.findOfUser(userId)).map(toApiKeyDto);
  }

  /**
   * Makes a key.
   * @throws ResourceOverflowError when the user has the maximum number of keys
   */
  add(userId: number, name: string): Promise<NewApiKeyDto> {
    const key = generateApiKey();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const count = await this.keys.countOfUser(userId, manager);
      if (count >= MAX_KEYS) throw new ResourceOverflowError(API_KEY_LIMIT);
      const id = await this.apiKeys.add(manager, userId, name, key);
      return { ...(await this.getKey(manager, id)), key };
    });
  }

  /**
   * Revokes a key: at once in this process, within seconds in others.
   * @throws InvalidRequestError when no Administrator would have a key left
   */
  remove(id: number, userId: number): Promise<ApiKeyDto> {
    return this.transactions.run(async (manager) => {
      await this.administrators.keepOneWithoutKey(manager, id, 'apiKeyId');
      await this.users.lock(manager, userId);
      const removed = await this.getKey(manager, id);
      await this.keys.delete(manager, id);
      this.transactions.afterCommit(manager, () => this.apiKeys.forget(userId));
      return removed;
    });
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
