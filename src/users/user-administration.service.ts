import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor, COMMAND_LINE } from '../audit-log/actor';
import { type AuditAction } from '../audit-log/audit-action';
import { type AuditChange, auditChanges, secretChange } from '../audit-log/audit-changes';
import { AuditLogService } from '../audit-log/audit-log.service';
import { isDuplicate } from '../database/connections/database-errors';
import { TransactionsService } from '../database/transactions/transactions.service';
import { InvalidRequestError, UnauthorizedOperationError } from '../errors/domain-errors';
import { CountLimitsService } from '../limits/count-limits.service';
import { SpaceService } from '../space/space.service';
import { requireRecentSignIn } from '../access/access.guard';
import { type AuditedCaller, type Caller, hasLimitedKey } from '../access/caller';
import { ApiKeyRepository } from './data/api-key.repository';
import { UserRepository } from './data/user.repository';
import { type AddUserDto } from './dto/add-user.dto';
import { type UpdateUserDto } from './dto/update-user.dto';
import { type UserDto } from './dto/user.dto';
import { KnownCallersService } from './known-callers.service';
import { LastAdministratorService } from './last-administrator.service';
import { PasswordHasherService } from './passwords/password-hasher.service';
import { RevocationsService } from './revocations.service';
import { RoleType } from '../access/role-type';
import { UserAccountsService } from './user-accounts.service';
import { TakenUserIdError } from './user-errors';
import { type NewUser, UsersService } from './users.service';

/** The fields of a user that the audit log records. */
const AUDITED = ['userId', 'name', 'mailAddress', 'roleType'] as const;

/** Called in the transaction in which a user leaves, before their row is changed, whether or not their content is kept. */
export type LeavingListener = (manager: EntityManager, userId: number) => Promise<void>;

/** Called in the transaction in which a user gets another mail address. */
export type MovingListener = (manager: EntityManager, userId: number) => Promise<void>;

/** Called after the role of a user has changed, before the response. Must not reject. */
export type RoleListener = () => Promise<void>;

/** Adds, changes and removes users. Locks the space where a rule concerns all users. */
@Injectable()
export class UserAdministrationService {
  private readonly listeners: LeavingListener[] = [];
  private readonly movingListeners: MovingListener[] = [];
  private readonly roleListeners: RoleListener[] = [];

  constructor(
    private readonly transactions: TransactionsService,
    private readonly space: SpaceService,
    private readonly users: UsersService,
    private readonly accounts: UserAccountsService,
    private readonly userRows: UserRepository,
    private readonly keyRows: ApiKeyRepository,
    private readonly known: KnownCallersService,
    private readonly revocations: RevocationsService,
    private readonly passwords: PasswordHasherService,
    private readonly administrators: LastAdministratorService,
    private readonly auditLog: AuditLogService,
    private readonly limits: CountLimitsService,
  ) {}

  /** Registers a module that revokes its grants to users who leave. */
  onLeaving(listener: LeavingListener): void {
    this.listeners.push(listener);
  }

  /** Registers a module that revokes what was sent to the former mail address of a user. */
  onMoving(listener: MovingListener): void {
    this.movingListeners.push(listener);
  }

  /** Registers a module that holds what depends on the roles of users. */
  onRoleChange(listener: RoleListener): void {
    this.roleListeners.push(listener);
  }

  /**
   * Adds a user. A user who left but remained the author of content is reactivated as the same user.
   * @param gone aborts when the client has disconnected
   * @throws TakenUserIdError, ResourceOverflowError when there are too many users
   */
  async add(caller: AuditedCaller, { password, ...user }: AddUserDto, gone?: AbortSignal): Promise<UserDto> {
    requireNoNewAdministrator(caller, user.roleType);
    const passwordHash = await this.passwords.hash(password, gone);
    return this.insert(caller, { ...user, passwordHash });
  }

  /** Adds a user without a password, on behalf of the operator of the service instead of a user. Otherwise like `add`. */
  addByOperator(user: NewUser): Promise<UserDto> {
    return this.insert(COMMAND_LINE, user);
  }

  private insert(actor: Actor, user: NewUser): Promise<UserDto> {
    return this.transactions.run(async (manager) => {
      await this.space.lock(manager);
      await this.users.requireAdministratorOrSelf(manager, actor);
      await this.requireRoom(manager);
      const id = (await this.restore(manager, user)) ?? (await this.insertRow(manager, user));
      return this.recordAdded(manager, actor, id);
    });
  }

  /**
   * Adds a user who has been invited or comes from an identity provider, and records them as the one who did it. The transaction has locked
   * the space. Not even a user who left is reactivated: nothing says that it is the same person.
   * @throws TakenUserIdError, also for the `userId` of a user who left; ResourceOverflowError when there are too many users
   */
  async addByThemselves(manager: EntityManager, user: NewUser, address: string): Promise<UserDto> {
    await this.requireRoom(manager);
    const id = await this.insertRow(manager, user);
    return this.recordAdded(manager, { id, address }, id);
  }

  /**
   * Gives a user, whom the transaction has locked with the space, another role.
   * @throws InvalidRequestError when no Administrator with a key would be left
   */
  async setRole(manager: EntityManager, actor: Actor, id: number, roleType: RoleType): Promise<void> {
    const before = await this.users.get(id, manager);
    if (before.roleType === roleType) return;
    if (before.roleType === RoleType.Administrator) {
      await this.administrators.requireOtherAdmin(manager, id, 'roleType');
    }
    await this.userRows.update(manager, id, { roleType });
    this.followRoleChange(manager);
    const after = { ...before, roleType };
    await this.record(manager, actor, 'user.update', after, auditChanges({ ...before }, after, AUDITED));
    this.transactions.afterCommit(manager, () => this.known.forget(id));
  }

  private async requireRoom(manager: EntityManager): Promise<void> {
    this.limits.require('user', (await this.users.countActive(manager)) + 1);
  }

  private async insertRow(manager: EntityManager, user: NewUser): Promise<number> {
    try {
      return await this.users.add(manager, user);
    } catch (error) {
      throw isDuplicate(error) ? new TakenUserIdError() : error;
    }
  }

  private async recordAdded(manager: EntityManager, actor: Actor, id: number): Promise<UserDto> {
    const added = await this.users.get(id, manager);
    await this.record(manager, actor, 'user.add', added, auditChanges({}, { ...added }, AUDITED));
    return added;
  }

  /**
   * Changes a user. All users may change themselves, except for their role and whether they are enabled.
   * @param gone aborts when the client has disconnected
   * @throws UnauthorizedOperationError, TooManyRequestsError for passwords, or InvalidRequestError for Administrators who would
   * disable themselves, and when no Administrator with a key would be left
   */
  async update(
    caller: AuditedCaller,
    id: number,
    { password, ...changes }: UpdateUserDto,
    gone?: AbortSignal,
  ): Promise<UserDto> {
    const { name, mailAddress, roleType, enabled } = changes;
    requireNoNewAdministrator(caller, roleType);
    const isForAnother = caller.id !== id;
    const hasRights = roleType !== undefined || enabled !== undefined;
    if (hasRights && caller.roleType !== RoleType.Administrator) {
      throw new UnauthorizedOperationError();
    }
    if (password !== undefined && hasLimitedKey(caller)) {
      throw new UnauthorizedOperationError('A key with limits cannot change a password.');
    }
    if (enabled === false && !isForAnother) {
      throw InvalidRequestError.of('enabled', 'You cannot disable yourself.');
    }
    const passwordHash =
      password === undefined ? undefined : await this.passwords.hashChange(caller.id, password, gone);
    return this.transactions.run(async (manager) => {
      if (roleType !== undefined && roleType !== RoleType.Administrator) {
        await this.administrators.requireOtherAdmin(manager, id, 'roleType');
      } else if (enabled === false) {
        await this.administrators.requireOtherAdmin(manager, id, 'enabled');
      } else if (isForAnother || hasRights) {
        // Whoever takes the caller's role away has this lock, too.
        await this.space.lock(manager);
      }
      await this.users.lock(manager, id);
      await this.users.requireAdministratorOrSelf(manager, caller, hasRights ? undefined : id);
      const before = await this.users.get(id, manager);
      if (mailAddress !== undefined && mailAddress !== before.mailAddress) {
        requireMayMoveLetters(caller);
        for (const listener of this.movingListeners) await listener(manager, id);
      }
      await this.userRows.update(manager, id, {
        name,
        vendorName: name,
        mailAddress,
        roleType,
        passwordHash,
      });
      if (passwordHash !== undefined) {
        await this.revocations.revoke(manager, id, isForAnother ? undefined : caller.session?.id);
      }
      if (enabled !== undefined) await this.accounts.setEnabled(manager, caller, id, enabled);
      this.transactions.afterCommit(manager, () => this.known.forget(id));
      const after = await this.users.get(id, manager);
      if (after.roleType !== before.roleType) this.followRoleChange(manager);
      const audited = auditChanges({ ...before }, { ...after }, AUDITED);
      if (passwordHash !== undefined) audited.push(secretChange('password'));
      if (audited.length > 0) await this.record(manager, caller, 'user.update', after, audited);
      return after;
    });
  }

  /**
   * Removes a user with their keys and memberships. A user who wrote anything remains as its author, but is not shown anywhere
   * else.
   * @throws InvalidRequestError for the caller themselves, or when no Administrator with a key would be left
   */
  remove(caller: AuditedCaller, id: number): Promise<UserDto> {
    if (caller.id === id) throw InvalidRequestError.of('userId', 'You cannot remove yourself.');
    return this.transactions.run(async (manager) => {
      await this.administrators.requireOtherAdmin(manager, id, 'userId');
      await this.users.lock(manager, id);
      await this.users.requireAdministratorOrSelf(manager, caller);
      const removed = await this.users.get(id, manager);
      await this.record(manager, caller, 'user.delete', removed, auditChanges({ ...removed }, {}, AUDITED));
      for (const listener of this.listeners) await listener(manager, id);
      if (!(await this.userRows.deleteUnlessReferenced(manager, id))) await this.deactivate(manager, id);
      this.transactions.afterCommit(manager, () => this.known.forget(id));
      return removed;
    });
  }

  /** Reactivates the former user with this `userId`; undefined when there is none. Their rights are not restored. */
  private async restore(manager: EntityManager, { userId, ...user }: NewUser): Promise<number | undefined> {
    const id = await this.userRows.findFormerId(userId, manager);
    if (id !== undefined) {
      await this.userRows.update(manager, id, {
        ...user,
        vendorName: user.name,
        active: true,
        disabled: false,
      });
      this.followRoleChange(manager);
    }
    return id;
  }

  private followRoleChange(manager: EntityManager): void {
    for (const listener of this.roleListeners) this.transactions.afterCommit(manager, listener);
  }

  private async deactivate(manager: EntityManager, id: number): Promise<void> {
    await this.userRows.update(manager, id, { active: false, passwordHash: null });
    await this.keyRows.deleteOfUser(manager, id);
    await this.revocations.revoke(manager, id);
  }

  private record(
    manager: EntityManager,
    actor: Actor,
    action: AuditAction,
    { id, userId }: UserDto,
    changes: readonly AuditChange[],
  ): Promise<void> {
    return this.auditLog.record(manager, actor, { action, subject: { id, name: userId }, changes });
  }
}

/** @throws UnauthorizedOperationError if a key with limits would make an Administrator, whose own keys have none */
export function requireNoNewAdministrator(caller: Caller, roleType: RoleType | undefined): void {
  if (roleType === RoleType.Administrator && hasLimitedKey(caller)) {
    throw new UnauthorizedOperationError('A key with limits cannot make an Administrator.');
  }
}

/**
 * Links to set a password go to the mail address: another one needs what another password does.
 * @throws UnauthorizedOperationError, OldSignInError
 */
function requireMayMoveLetters(caller: AuditedCaller): void {
  if (hasLimitedKey(caller)) {
    throw new UnauthorizedOperationError('A key with limits cannot change a mail address.');
  }
  requireRecentSignIn(caller);
}
