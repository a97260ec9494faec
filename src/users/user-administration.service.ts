import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { invalidIfDuplicate } from '../database/database-errors';
import { TransactionsService } from '../database/transactions.service';
import {
  InvalidRequestError,
  ResourceOverflowError,
  UnauthorizedOperationError,
} from '../errors/domain-errors';
import { SpaceService } from '../space/space.service';
import { ApiKeysService } from './api-keys.service';
import { type Caller } from '../access/caller';
import { ApiKeyRepository } from './data/api-key.repository';
import { UserRepository } from './data/user.repository';
import { type AddUserDto } from './dto/add-user.dto';
import { type UpdateUserDto } from './dto/update-user.dto';
import { type UserDto } from './dto/user.dto';
import { LastAdministratorService } from './last-administrator.service';
import { PasswordHasherService } from './password-hasher.service';
import { RoleType } from '../access/role-type';
import { type NewUser, UsersService } from './users.service';

const MAX_USERS = 5000;

/** The answer to a request for more users than a space may have. */
export const USER_LIMIT = `A space can have at most ${MAX_USERS} users.`;

/** Called in the transaction in which a user leaves whose writings stay. */
export type LeavingListener = (manager: EntityManager, userId: number) => Promise<void>;

/** Adds, changes and removes users. The space is locked where a rule is about all of them. */
@Injectable()
export class UserAdministrationService {
  private readonly listeners: LeavingListener[] = [];

  constructor(
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly userRows: UserRepository,
    private readonly keyRows: ApiKeyRepository,
    private readonly apiKeys: ApiKeysService,
    private readonly passwords: PasswordHasherService,
    private readonly administrators: LastAdministratorService,
  ) {}

  /** Registers a module that takes back what it has given to users who leave. */
  onLeaving(listener: LeavingListener): void {
    this.listeners.push(listener);
  }

  /**
   * Adds a user. Somebody who left and stayed as the author of something comes back as the same user.
   * @param gone aborts when the client has gone
   * @throws InvalidRequestError for a `userId` that is taken, ResourceOverflowError when there are too many users
   */
  async add(caller: Caller, { password, ...user }: AddUserDto, gone?: AbortSignal): Promise<UserDto> {
    const passwordHash = await this.passwords.hash(password, gone);
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      await this.requireUnchanged(manager, caller);
      if ((await this.users.countActive(manager)) >= MAX_USERS) throw new ResourceOverflowError(USER_LIMIT);
      const id =
        (await this.bringBack(manager, { ...user, passwordHash })) ??
        (await invalidIfDuplicate(
          this.users.add(manager, { ...user, passwordHash }),
          'userId',
          'Somebody has this userId already.',
        ));
      return this.users.get(id, manager);
    });
  }

  /**
   * Changes a user. Anybody may change themselves, except for their role.
   * @param gone aborts when the client has gone
   * @throws UnauthorizedOperationError, TooManyRequestsError for passwords, or InvalidRequestError when no Administrator with a
   * key would be left
   */
  async update(
    caller: Caller,
    id: number,
    { password, ...changes }: UpdateUserDto,
    gone?: AbortSignal,
  ): Promise<UserDto> {
    const { name, mailAddress, roleType } = changes;
    if (roleType !== undefined && caller.roleType !== RoleType.Administrator) {
      throw new UnauthorizedOperationError();
    }
    const passwordHash =
      password === undefined ? undefined : await this.passwords.hashChange(caller.id, password, gone);
    return this.transactions.run(async (manager) => {
      if (roleType !== undefined && roleType !== RoleType.Administrator) {
        await this.administrators.keepOneWithoutUser(manager, id, 'roleType');
      }
      await this.users.lock(manager, id);
      if (passwordHash !== undefined) await this.requireUnchanged(manager, caller);
      await this.userRows.update(manager, id, {
        name,
        vendorName: name,
        mailAddress,
        roleType,
        passwordHash,
      });
      this.transactions.afterCommit(manager, () => this.apiKeys.forget(id));
      return this.users.get(id, manager);
    });
  }

  /**
   * Removes a user with their keys and memberships. Somebody who wrote anything stays as its author, and is shown nowhere
   * else.
   * @throws InvalidRequestError for the caller themselves, or when no Administrator with a key would be left
   */
  remove(caller: Caller, id: number): Promise<UserDto> {
    if (caller.id === id) throw InvalidRequestError.of('userId', 'You cannot remove yourself.');
    return this.transactions.run(async (manager) => {
      await this.administrators.keepOneWithoutUser(manager, id, 'userId');
      await this.users.lock(manager, id);
      const removed = await this.users.get(id, manager);
      if (!(await this.userRows.deleteUnlessReferenced(manager, id))) await this.deactivate(manager, id);
      this.transactions.afterCommit(manager, () => this.apiKeys.forget(id));
      return removed;
    });
  }

  /**
   * Reactivates the former user with this `userId`; undefined when there is none. Their rights do not come back with them.
   */
  private async bringBack(manager: EntityManager, { userId, ...user }: NewUser): Promise<number | undefined> {
    const id = await this.userRows.findFormerId(userId, manager);
    if (id !== undefined) {
      await this.userRows.update(manager, id, { ...user, vendorName: user.name, active: true });
    }
    return id;
  }

  private async deactivate(manager: EntityManager, id: number): Promise<void> {
    await this.userRows.update(manager, id, { active: false, passwordHash: null });
    await this.keyRows.deleteOfUser(manager, id);
    for (const listener of this.listeners) await listener(manager, id);
  }

  /** Refuses a caller who has lost their rights while a password was waiting to be hashed. */
  private async requireUnchanged(manager: EntityManager, { id, roleType }: Caller): Promise<void> {
    if (!(await this.userRows.hasRole(id, roleType, manager))) throw new UnauthorizedOperationError();
  }
}
