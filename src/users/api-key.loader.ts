import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { ApiKeyRepository } from './data/api-key.repository';
import { ActiveUserLoader, type UserResource } from './user.loader';

/** Finds the API key of `/users/{userId}/apiKeys/{apiKeyId}`. */
@Injectable()
export class ApiKeyLoader implements ResourceLoader<UserResource> {
  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly users: ActiveUserLoader,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<UserResource> {
    const user = await this.users.load(parameters, caller);
    const id = parseId(parameters.apiKeyId);
    if (id === undefined || !(await this.keys.belongsTo(id, user.id))) throw new NoResourceError('API key');
    return { id, ownerId: user.id };
  }
}
