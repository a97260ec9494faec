import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type StatementRunner } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { NoResourceError, ResourceOverflowError } from '../errors/domain-errors';
import { toTimestamp } from '../http/request/timestamp';
import { generateApiKey } from './api-key';
import { ApiKeysService } from './api-keys.service';
import { type ApiKeyDto, type NewApiKeyDto } from './dto/api-key.dto';
import { LastAdministratorService } from './last-administrator.service';
import { UsersService } from './users.service';

const MAX_KEYS = 100;

/** What an answer says when a user has as many keys as they may. */
export const API_KEY_LIMIT = `A user can have at most ${MAX_KEYS} API keys.`;

interface ApiKeyRow {
  id: number;
  name: string;
  created: number;
  lastUsed: number | null;
}

/** The API keys of a user: which there are, a new one, and the end of one. */
@Injectable()
export class ApiKeyAdministrationService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly users: UsersService,
    private readonly apiKeys: ApiKeysService,
    private readonly administrators: LastAdministratorService,
  ) {}

  /** The keys of a user, ordered by id. */
  async list(userId: number): Promise<ApiKeyDto[]> {
    return (await findKeys(this.dataSource, 'user_id = ?', userId)).map(toApiKeyDto);
  }

  /**
   * Makes a key.
   * @throws ResourceOverflowError when the user has as many as they may
   */
  add(userId: number, name: string): Promise<NewApiKeyDto> {
    const key = generateApiKey();
    return this.transactions.run(async (manager) => {
      await this.users.lock(manager, userId);
      const [row] = await manager.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM api_key WHERE user_id = ?',
        [userId],
      );
      if (Number(row.count) >= MAX_KEYS) throw new ResourceOverflowError(API_KEY_LIMIT);
      const id = await this.apiKeys.add(manager, userId, name, key);
      return { ...(await this.getKey(manager, id)), key };
    });
  }

  /**
   * Ends a key: here at once, in other processes within seconds.
   * @throws InvalidRequestError when no Administrator would have a key any more
   */
  remove(id: number, userId: number): Promise<ApiKeyDto> {
    return this.transactions.run(async (manager) => {
      await this.administrators.keepOneWithoutKey(manager, id, 'apiKeyId');
      await this.users.lock(manager, userId);
      const removed = await this.getKey(manager, id);
      await manager.query('DELETE FROM api_key WHERE id = ?', [id]);
      this.transactions.afterCommit(manager, () => this.apiKeys.forget(userId));
      return removed;
    });
  }

  private async getKey(manager: EntityManager, id: number): Promise<ApiKeyDto> {
    const [row] = await findKeys(manager, 'id = ?', id);
    if (!row) throw new NoResourceError('API key');
    return toApiKeyDto(row);
  }
}

const findKeys = (runner: StatementRunner, condition: string, value: number): Promise<ApiKeyRow[]> =>
  runner.query<ApiKeyRow[]>(
    `SELECT id, name, created, last_used AS lastUsed FROM api_key WHERE ${condition} ORDER BY id`,
    [value],
  );

const toApiKeyDto = ({ id, name, created, lastUsed }: ApiKeyRow): ApiKeyDto => ({
  id,
  name,
  created: toTimestamp(created),
  lastUsed: lastUsed === null ? null : toTimestamp(lastUsed),
});
