import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DataSource, type EntityManager } from 'typeorm';
import { isUnavailable } from '../database/database-errors';
import { inList, insertRow, type StatementRunner } from '../database/statements';
import { type UserDto } from './dto/user.dto';
import { User } from './entities/user.entity';
import { type RoleType } from './role-type';
import { toUserDto, USER_COLUMNS, type UserRow } from './user.mapper';

/** A use of the account moves `lastLoginTime` at most once in this time. */
const TOUCH_INTERVAL_MS = 60_000;
const REMEMBERED_USERS = 10_000;
const MAX_TOUCH_WAIT_MS = 200;

/** What it takes to make a user. */
export interface NewUser {
  userId: string;
  name: string;
  roleType: RoleType;
  mailAddress: string;
  lang?: string;
}

/** The users of the space. */
@Injectable()
export class UsersService {
  private readonly logger = new Logger(UsersService.name);
  private readonly recentlyTouched = new LRUCache<number, true>({
    max: REMEMBERED_USERS,
    ttl: TOUCH_INTERVAL_MS,
  });

  constructor(private readonly dataSource: DataSource) {}

  /** One user, who must exist. */
  async get(id: number): Promise<UserDto> {
    return (await this.findByIds([id])).get(id) as UserDto;
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

  /** Adds a user with the vendor account that every user has (decisions, section 4). */
  async add(manager: EntityManager, user: NewUser): Promise<number> {
    const now = Date.now();
    return insertRow(manager, User, {
      userId: user.userId,
      name: user.name,
      roleType: user.roleType,
      lang: user.lang ?? 'en',
      mailAddress: user.mailAddress,
      lastLoginTime: now,
      created: now,
      vendorId: randomUUID(),
      vendorName: user.name,
      vendorUniqueId: user.userId,
    });
  }

  /**
   * Notes that the user has used the account (decisions, section 4: `lastLoginTime`). A request waits for it only a moment:
   * a read must not hang because somebody else is writing.
   */
  async touch(id: number): Promise<void> {
    if (this.recentlyTouched.has(id)) return;
    this.recentlyTouched.set(id, true);
    await Promise.race([this.moveLastLoginTime(id), sleep(MAX_TOUCH_WAIT_MS, undefined, { ref: false })]);
  }

  private async moveLastLoginTime(id: number): Promise<void> {
    const now = Date.now();
    try {
      await this.dataSource.query(
        'UPDATE user SET last_login_time = ? WHERE id = ? AND last_login_time <= ?',
        [now, id, now - TOUCH_INTERVAL_MS],
      );
    } catch (error) {
      // Somebody else is writing, or the database is away, which the request itself will tell; the next use will do.
      this.recentlyTouched.delete(id);
      if (!isUnavailable(error)) this.logger.error({ err: error }, 'Could not note the use of an account');
    }
  }
}
