import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../database/conditions';
import { countRows } from '../database/list-page';
import { insertRow } from '../database/rows';
import { inList, lockRow, type StatementRunner } from '../database/statements';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { type UserDto } from './dto/user.dto';
import { User } from './entities/user.entity';
import { type RoleType } from '../access/role-type';
import { toUserDto, USER_COLUMNS, type UserRow } from './user.mapper';

/** What it takes to make a user. */
export interface NewUser {
  userId: string;
  name: string;
  roleType: RoleType;
  mailAddress: string;
  lang?: string;
  /** As `hashPassword` makes it. */
  passwordHash?: string;
}

/** The users of the space. */
@Injectable()
export class UsersService {
  constructor(private readonly dataSource: DataSource) {}

  /** One user, who may have left. */
  async get(id: number, runner?: StatementRunner): Promise<UserDto> {
    const user = (await this.findByIds([id], runner)).get(id);
    if (!user) throw new NoResourceError('user');
    return user;
  }

  /** Everyone who has not left, ordered by id; a space has a limited number. */
  async list(): Promise<UserDto[]> {
    const rows = await this.dataSource.query<UserRow[]>(
      `SELECT ${USER_COLUMNS} FROM user WHERE active = 1 ORDER BY id`,
    );
    return rows.map(toUserDto);
  }

  /** Whether the user has not left; undefined when there is none with this id. */
  async isActive(id: number, runner: StatementRunner = this.dataSource): Promise<boolean | undefined> {
    const [row] = await runner.query<{ active: number | boolean }[]>('SELECT active FROM user WHERE id = ?', [
      id,
    ]);
    return row && Boolean(row.active);
  }

  /**
   * Takes a user for the rest of the transaction.
   * @throws NoResourceError when there is none with this id, or one who has left
   */
  async lock(manager: EntityManager, id: number): Promise<void> {
    await lockRow(manager, 'user', id);
    if (!(await this.isActive(id, manager))) throw new NoResourceError('user');
  }

  /** Locks a user until the transaction ends, whether or not they have left. */
  async hold(manager: EntityManager, id: number): Promise<void> {
    await lockRow(manager, 'user', id);
  }

  /** How many users have not left. */
  countActive(runner: StatementRunner): Promise<number> {
    return countRows(runner, { from: 'user', conditions: new Conditions().add('active = 1') });
  }

  /** The users that exist of those asked for, by id, in one query. */
  async findByIds(
    ids: Iterable<number>,
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, UserDto>> {
    const distinct = [...new Set(ids)];
    if (distinct.length === 0) return new Map();
    const list = inList(distinct);
    const rows = await runner.query<UserRow[]>(
      `SELECT ${USER_COLUMNS} FROM user WHERE id ${list.sql}`,
      list.parameters,
    );
    return new Map(rows.map((row) => [row.id, toUserDto(row)]));
  }

  /**
   * The users that a request's body or query names, in the order of their ids there.
   * @throws InvalidRequestError for the field, naming the ids of which there is no user, or one who has left
   */
  async getUsable(
    ids: readonly number[],
    field: string,
    runner: StatementRunner = this.dataSource,
  ): Promise<UserDto[]> {
    if (ids.length === 0) return [];
    const list = inList(ids);
    const rows = await runner.query<UserRow[]>(
      `SELECT ${USER_COLUMNS} FROM user WHERE id ${list.sql} AND active = 1`,
      list.parameters,
    );
    const users = new Map(rows.map((row) => [row.id, toUserDto(row)]));
    const missing = ids.filter((id) => !users.has(id));
    if (missing.length > 0) {
      throw InvalidRequestError.of(field, `There are no such users: ${missing.slice(0, 20).join(', ')}.`);
    }
    return ids.flatMap((id) => users.get(id) ?? []);
  }

  /** Adds a user with the vendor account that every user has (`docs/decisions/0007-responses.md`). */
  async add(manager: EntityManager, user: NewUser): Promise<number> {
    const now = Date.now();
    return insertRow(manager, User, {
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
}
