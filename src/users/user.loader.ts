import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { UsersService } from './users.service';

/** The user named in the path, who is their own owner. */
export interface UserResource extends AccessResource {
  id: number;
  ownerId: number;
}

/** Finds the user of `/users/{userId}/…`, who may have left. Every user is visible to all users. */
@Injectable()
export class UserLoader implements ResourceLoader<UserResource> {
  constructor(private readonly users: UsersService) {}

  async load({ userId }: PathParameters): Promise<UserResource> {
    const id = parseId(userId);
    if (id === undefined || (await this.users.isActive(id)) === undefined) throw new NoResourceError('user');
    return { id, ownerId: id };
  }
}

/** Finds a user who has not left: to change or remove them, or for their keys. */
@Injectable()
export class ActiveUserLoader implements ResourceLoader<UserResource> {
  constructor(private readonly users: UsersService) {}

  async load({ userId }: PathParameters): Promise<UserResource> {
    const id = parseId(userId);
    if (id === undefined || !(await this.users.isActive(id))) throw new NoResourceError('user');
    return { id, ownerId: id };
  }
}
