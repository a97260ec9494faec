import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../../access/access';
import { type Caller } from '../../access/caller';
import { NoResourceError } from '../../errors/domain-errors';
import { parseId } from '../../http/request/path-id';
import { ActiveUserLoader, type UserResource } from '../../users/user.loader';
import { PasskeyRepository } from '../data/passkey.repository';

/** Finds the passkey of `/users/{userId}/passkeys/{passkeyId}`. */
@Injectable()
export class PasskeyLoader implements ResourceLoader<UserResource> {
  constructor(
    private readonly passkeys: PasskeyRepository,
    private readonly users: ActiveUserLoader,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<UserResource> {
    const user = await this.users.load(parameters, caller);
    const id = parseId(parameters.passkeyId);
    if (id === undefined || !(await this.passkeys.find(id, user.id))) throw new NoResourceError('passkey');
    return { id, ownerId: user.id };
  }
}
