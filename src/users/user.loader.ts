import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { UsersService } from './users.service';

/** A user that the path names; who they are is who they belong to. */
export interface UserResource extends AccessResource {
  id: number;
  ownerId: number;
}

/** Finds the user of `/users/{userId}/…`, whom everybody may see; one who has left, too. */
@Injectable()
export class UserLoader implements ResourceLoader<UserResource> {
  constructor(private readonly users: UsersService) {}

  async load({ userId }: PathParameters): Promise<UserResource> {
    const id = parseId(userId);
    if (id === undefined || (await this.users.isActive(id)) === undefined) throw new NoResourceError('user');
    return { id, ownerId: id };
  }
}

/** The same for what is nothing to those who have left: changing and removing them, and their keys. */
@Injectable()
export class ActiveUserLoader implements ResourceLoader<UserResource> {
  constructor(private readonly users: UsersService) {}

  async load({ userId }: PathParameters): Promise<UserResource> {
    const id = parseId(userId);
    if (id === undefined || !(await this.users.isActive(id))) throw new NoResourceError('user');
    return { id, ownerId: id };
  }
}
