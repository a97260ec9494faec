import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { ActiveUserLoader, type UserResource } from '../users/user.loader';
import { IdentityRepository } from './data/identity.repository';

/** Finds the identity of `/users/{userId}/identities/{identityId}`. */
@Injectable()
export class IdentityLoader implements ResourceLoader<UserResource> {
  constructor(
    private readonly identities: IdentityRepository,
    private readonly users: ActiveUserLoader,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<UserResource> {
    const user = await this.users.load(parameters, caller);
    const id = parseId(parameters.identityId);
    if (id === undefined || !(await this.identities.find(id, user.id))) throw new NoResourceError('identity');
    return { id, ownerId: user.id };
  }
}
