import { Injectable } from '@nestjs/common';
import { type AccessResource, type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { UserVisibilityService } from './user-visibility.service';
import { UsersService } from './users.service';

/** The user named in the path, who is their own owner. */
export interface UserResource extends AccessResource {
  id: number;
  ownerId: number;
}

/** Finds the user of `/users/{userId}/…`, who may have left. */
@Injectable()
export class UserLoader implements ResourceLoader<UserResource> {
  constructor(
    private readonly users: UsersService,
    private readonly visibility: UserVisibilityService,
  ) {}

  async load({ userId }: PathParameters, caller: Caller): Promise<UserResource> {
    const id = parseId(userId);
    const exists = id !== undefined && this.accepts(await this.users.isActive(id));
    if (!exists || !(await this.visibility.isVisible(caller, id))) throw new NoResourceError('user');
    return { id, ownerId: id };
  }

  protected accepts(isActive: boolean | undefined): boolean {
    return isActive !== undefined;
  }
}

/** Finds a user who has not left: to change or remove them, or for their keys. */
@Injectable()
export class ActiveUserLoader extends UserLoader {
  protected override accepts(isActive: boolean | undefined): boolean {
    return isActive === true;
  }
}
