import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Actor } from '../audit-log/actor';
import { AuditLogService } from '../audit-log/audit-log.service';
import { mapBatches } from '../database/sql/id-batches';
import { type EntityRunner, type StatementRunner } from '../database/sql/statements';
import { InvalidRequestError, NoResourceError, UnauthorizedOperationError } from '../errors/domain-errors';
import { loopTurns } from '../event-loop/loop-turns';
import { UserRepository } from './data/user.repository';
import { type UserDto } from './dto/user.dto';
import { RoleType } from '../access/role-type';
import { toUserDto } from './user.mapper';
import { type WithoutUsers } from './without-users';

/** Maximum number of ids in one statement: every engine limits its parameters. */
const IDS_AT_ONCE = 2000;

/** The fields of a new user. */
export interface NewUser {
  userId: string;
  name: string;
  roleType: RoleType;
  mailAddress: string;
  lang?: string;
  /** The result of `hashPassword`. */
  passwordHash?: string;
}

/** A user of another space whom an import adds. */
export interface ImportedUser {
  /** Absent for the next free one. */
  id?: number;
  userId: string;
  name: string;
  roleType: RoleType;
  lang: string;
  mailAddress: string;
  active: boolean;
  disabled: boolean;
  placeholder: boolean;
  created: number;
  vendorId: string;
  vendorName: string;
  vendorUniqueId: string;
}

/** Reads, locks and adds users of the space. */
@Injectable()
export class UsersService implements OnModuleInit {
  constructor(
    private readonly users: UserRepository,
    private readonly auditLog: AuditLogService,
  ) {}

  onModuleInit(): void {
    this.auditLog.setUserNames(async (manager, id) => (await this.findByIds([id], manager)).get(id)?.userId);
  }

  /**
   * Returns a user, who may have left.
   * @throws NoResourceError
   */
  async get(id: number, runner?: StatementRunner): Promise<UserDto> {
    const user = (await this.findByIds([id], runner)).get(id);
    if (!user) throw new NoResourceError('user');
    return user;
  }

  /** Returns all users who have not left, ordered by id; their number is limited. */
  list(): Promise<UserDto[]> {
    return mapBatches(this.users.findAllActive(), toUserDto);
  }

  /** Whether the user has not left; undefined for an unknown id. */
  isActive(id: number, runner?: EntityRunner): Promise<boolean | undefined> {
    return this.users.isActive(id, runner);
  }

  /** Returns the role of a user; undefined for an unknown id, and for users who have left or are disabled. */
  findEnabledRole(id: number, runner?: EntityRunner): Promise<RoleType | undefined> {
    return this.users.findEnabledRole(id, runner);
  }

  /** Returns the id of the user who has a `userId`, or had it and left. */
  findIdByName(userId: string, runner?: EntityRunner): Promise<number | undefined> {
    return this.users.findIdByName(userId, runner);
  }

  /**
   * Returns the users with a login name, or with a mail address, whatever its case: at most ten of those who have not left and are not disabled.
   */
  async findByNameOrAddress(text: string): Promise<UserDto[]> {
    return (await this.users.findByNameOrAddress(text)).map(toUserDto);
  }

  /** Whether a user has a `userId`, or had it and left. */
  isTaken(userId: string, runner?: EntityRunner): Promise<boolean> {
    return this.users.hasUserId(userId, runner);
  }

  /** Returns the ids of the first users with a mail address, whatever its case, who have not left. */
  findIdsByMail(address: string, limit: number, runner?: EntityRunner): Promise<number[]> {
    return this.users.findIdsByMail(address.toLowerCase(), limit, runner);
  }

  /** Returns those of some mail addresses, whatever their case, that belong to users who have not left. */
  async findMailAddresses(addresses: readonly string[], runner: EntityRunner): Promise<string[]> {
    const found = await this.users.findMailAddresses(
      addresses.map((address) => address.toLowerCase()),
      runner,
    );
    const taken = new Set(found.map((address) => address.toLowerCase()));
    return addresses.filter((address) => taken.has(address.toLowerCase()));
  }

  /**
   * Locks a user for the rest of the transaction.
   * @throws NoResourceError for an unknown id, or a user who has left
   */
  async lock(manager: EntityManager, id: number): Promise<void> {
    await this.users.lockForUpdate(manager, id);
    if (!(await this.users.isActive(id, manager))) throw new NoResourceError('user');
  }

  /**
   * Requires in the transaction of a change that its actor is still an Administrator, or still enabled if the change is one of themselves: they may
   * have lost that since the request was admitted, and hashing a password takes long.
   * @param actor the operator of the service may do everything
   * @param userId the user whom the change concerns, unless only Administrators may make it
   * @throws UnauthorizedOperationError
   */
  async requireAdministratorOrSelf(
    manager: EntityManager,
    { id }: Pick<Actor, 'id'>,
    userId?: number,
  ): Promise<void> {
    if (id === null) return;
    const roleType = await this.users.findEnabledRole(id, manager);
    if (roleType === RoleType.Administrator || (roleType !== undefined && id === userId)) return;
    throw new UnauthorizedOperationError();
  }

  /** Locks a user until the transaction ends, whether or not they have left. */
  async lockEvenIfLeft(manager: EntityManager, id: number): Promise<void> {
    await this.users.lockForUpdate(manager, id);
  }

  /** Locks users until the transaction ends, in the order of their ids, whether or not they have left. */
  async lockAllEvenIfLeft(manager: EntityManager, ids: readonly number[]): Promise<void> {
    await this.users.lockAllForUpdate(manager, ids);
  }

  /** Counts the users who have not left. */
  countActive(runner: StatementRunner): Promise<number> {
    return this.users.countActive(runner);
  }

  /** Returns the users with these ids, by id, in one query unless there are thousands; they may have left. */
  async findByIds(ids: Iterable<number>, runner?: StatementRunner): Promise<Map<number, UserDto>> {
    const distinct = [...new Set(ids)];
    const users = new Map<number, UserDto>();
    for (let start = 0; start < distinct.length; start += IDS_AT_ONCE) {
      if (start > 0) await loopTurns.nextSlice();
      const rows = await this.users.findByIds(distinct.slice(start, start + IDS_AT_ONCE), runner);
      for (const row of rows) users.set(row.id, toUserDto(row));
    }
    return users;
  }

  /** Builds resources from their users, which it reads as `findByIds` does. */
  async complete<Built>(read: WithoutUsers<Built>, runner?: StatementRunner): Promise<Built> {
    return read.build(await this.findByIds(read.userIds, runner));
  }

  /** Returns the users with these ids who have not left, by id. */
  async findActiveByIds(ids: readonly number[], runner?: StatementRunner): Promise<Map<number, UserDto>> {
    const rows = ids.length === 0 ? [] : await this.users.findActiveByIds(ids, runner);
    return new Map(rows.map((row) => [row.id, toUserDto(row)]));
  }

  /**
   * Returns the users that a request's body or query names, in the order of their ids there. The caller must be allowed to list users.
   * @throws InvalidRequestError for the field, with the ids of unknown users and of users who have left
   */
  async getUsable(ids: readonly number[], field: string, runner?: StatementRunner): Promise<UserDto[]> {
    const users = await this.findActiveByIds(ids, runner);
    const missing = ids.filter((id) => !users.has(id));
    if (missing.length > 0) {
      throw InvalidRequestError.of(
        field,
        `These users do not exist: ${missing.slice(0, 20).join(', ')}.`,
        (limit) => this.users.findFirstActiveIds(limit),
      );
    }
    return ids.flatMap((id) => users.get(id) ?? []);
  }

  /** Adds a user with the vendor account that every user has (`docs/decisions/0001-wire-protocol.md#responses`). */
  async add(manager: EntityManager, user: NewUser): Promise<number> {
    const now = Date.now();
    return this.users.insert(manager, {
      userId: user.userId,
      name: user.name,
      roleType: user.roleType,
      lang: user.lang ?? 'en',
      mailAddress: user.mailAddress,
      passwordHash: user.passwordHash ?? null,
      lastLoginTime: now,
      created: now,
      vendorId: randomUUID(),
      vendorName: user.name,
      vendorUniqueId: user.userId,
    });
  }

  /** Adds a user whom an import has found in an archive, without a password (`docs/decisions/0069-imports.md`). */
  async addImported(manager: EntityManager, user: ImportedUser): Promise<number> {
    const { created } = user;
    const id = await this.users.insert(manager, {
      ...user,
      // A source may have none, and clients tell users apart by it.
      vendorId: user.vendorId || randomUUID(),
      passwordHash: null,
      lastLoginTime: created,
    });
    return user.id ?? id;
  }

  /** Whether an import has added the user for a person whom it did not find. */
  isPlaceholder(id: number): Promise<boolean> {
    return this.users.isPlaceholder(id);
  }

  /** Removes a user whom an import has added, unless anything refers to them; returns whether it did. */
  removeImported(manager: EntityManager, id: number): Promise<boolean> {
    return this.users.deleteUnlessReferenced(manager, id);
  }
}
