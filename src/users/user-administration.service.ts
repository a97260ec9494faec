import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { isReferenceError, refusingDuplicate } from '../database/database-errors';
import { updateRow } from '../database/rows';
import { TransactionsService } from '../database/transactions.service';
import {
  InvalidRequestError,
  ResourceOverflowError,
  UnauthorizedOperationError,
} from '../errors/domain-errors';
import { SpaceService } from '../space/space.service';
import { ApiKeysService } from './api-keys.service';
import { type Caller } from '../access/caller';
import { type AddUserDto } from './dto/add-user.dto';
import { type UpdateUserDto } from './dto/update-user.dto';
import { type UserDto } from './dto/user.dto';
import { User } from './entities/user.entity';
import { LastAdministratorService } from './last-administrator.service';
import { PasswordHasherService } from './password-hasher.service';
import { RoleType } from '../access/role-type';
import { type NewUser, UsersService } from './users.service';

const MAX_USERS = 5000;

/** What an answer says when the space has as many users as it may. */
export const USER_LIMIT = `A space can have at most ${MAX_USERS} users.`;

/** Is told, in its transaction, of a user who leaves and whose writings stay. */
export type LeavingListener = (manager: EntityManager, userId: number) => Promise<void>;

/** Adds, changes and removes users. The space's row is held where something has to be true of all of them. */
@Injectable()
export class UserAdministrationService {
  private readonly listeners: LeavingListener[] = [];

  constructor(
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly apiKeys: ApiKeysService,
    private readonly passwords: PasswordHasherService,
    private readonly administrators: LastAdministratorService,
  ) {}

  /** Has a module take from users who leave what it has given them. */
  onLeaving(listener: LeavingListener): void {
    this.listeners.push(listener);
  }

  /**
   * Adds a user. Who has left, and stayed as the author of something, comes back as the same user.
   * @param gone aborts when the client has gone
   * @throws InvalidRequestError for a `userId` that somebody has, ResourceOverflowError when there are too many users
   */
  async add(caller: Caller, { password, ...user }: AddUserDto, gone?: AbortSignal): Promise<UserDto> {
    const passwordHash = await this.passwords.hash(password, gone);
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      await requireUnchanged(manager, caller);
      if ((await this.users.countActive(manager)) >= MAX_USERS) throw new ResourceOverflowError(USER_LIMIT);
      const id =
        (await this.bringBack(manager, { ...user, passwordHash })) ??
        (await refusingDuplicate(
          this.users.add(manager, { ...user, passwordHash }),
          'userId',
          'Somebody has this userId already.',
        ));
      return this.users.get(id, manager);
    });
  }

  /**
   * Changes a user. Anybody may change themself, but for their role.
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
      if (passwordHash !== undefined) await requireUnchanged(manager, caller);
      await updateRow(manager, User, id, { name, vendorName: name, mailAddress, roleType, passwordHash });
      this.transactions.afterCommit(manager, () => this.apiKeys.forget(id));
      return this.users.get(id, manager);
    });
  }

  /**
   * Removes a user with their keys and memberships. Who has left something behind stays as its author, and is shown nowhere
   * else.
   * @throws InvalidRequestError for oneself, or when no Administrator with a key would be left
   */
  remove(caller: Caller, id: number): Promise<UserDto> {
    if (caller.id === id) throw InvalidRequestError.of('userId', 'You cannot remove yourself.');
    return this.transactions.run(async (manager) => {
      await this.administrators.keepOneWithoutUser(manager, id, 'userId');
      await this.users.lock(manager, id);
      const removed = await this.users.get(id, manager);
      if (!(await erase(manager, id))) await this.deactivate(manager, id);
      this.transactions.afterCommit(manager, () => this.apiKeys.forget(id));
      return removed;
    });
  }

  /** Undefined when nobody with this `userId` has left. Nothing of what they could do before comes back with them. */
  private async bringBack(manager: EntityManager, { userId, ...user }: NewUser): Promise<number | undefined> {
    const [row] = await manager.query<{ id: number }[]>(
      'SELECT id FROM user WHERE user_id = ? AND active = 0',
      [userId],
    );
    if (row) await updateRow(manager, User, row.id, { ...user, vendorName: user.name, active: true });
    return row?.id;
  }

  private async deactivate(manager: EntityManager, id: number): Promise<void> {
    await updateRow(manager, User, id, { active: false, passwordHash: null });
    await manager.query('DELETE FROM api_key WHERE user_id = ?', [id]);
    for (const listener of this.listeners) await listener(manager, id);
  }
}

/** Refuses a caller who has lost their rights while a password was waiting to be hashed. */
async function requireUnchanged(manager: EntityManager, { id, roleType }: Caller): Promise<void> {
  const rows = await manager.query<unknown[]>(
    'SELECT id FROM user WHERE id = ? AND role_type = ? AND active = 1',
    [id, roleType],
  );
  if (rows.length === 0) throw new UnauthorizedOperationError();
}

/** Removes a user whom nothing names but what goes with them; tells whether there was nothing else. */
async function erase(manager: EntityManager, id: number): Promise<boolean> {
  try {
    await manager.query('DELETE FROM user WHERE id = ?', [id]);
    return true;
  } catch (error) {
    if (isReferenceError(error)) return false;
    throw error;
  }
}
