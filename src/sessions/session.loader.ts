import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { ActiveUserLoader, type UserResource } from '../users/user.loader';
import { SessionRepository } from './data/session.repository';

/** Finds the session of `/users/{userId}/sessions/{sessionId}`. */
@Injectable()
export class SessionLoader implements ResourceLoader<UserResource> {
  constructor(
    private readonly sessions: SessionRepository,
    private readonly users: ActiveUserLoader,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<UserResource> {
    const user = await this.users.load(parameters, caller);
    const id = parseId(parameters.sessionId);
    if (id === undefined || !(await this.sessions.find(id, user.id))) throw new NoResourceError('session');
    return { id, ownerId: user.id };
  }
}
