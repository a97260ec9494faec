import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { ActiveUserLoader, type UserResource } from './user.loader';

/** Finds the API key of `/users/{userId}/apiKeys/{apiKeyId}`. */
@Injectable()
export class ApiKeyLoader implements ResourceLoader<UserResource> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: ActiveUserLoader,
  ) {}

  async load(parameters: PathParameters): Promise<UserResource> {
    const user = await this.users.load(parameters);
    const id = parseId(parameters.apiKeyId);
    const found =
      id === undefined
        ? []
        : await this.dataSource.query<unknown[]>('SELECT id FROM api_key WHERE id = ? AND user_id = ?', [
            id,
            user.id,
          ]);
    if (id === undefined || found.length === 0) throw new NoResourceError('API key');
    return { id, ownerId: user.id };
  }
}
