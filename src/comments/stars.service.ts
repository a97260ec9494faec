import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isDuplicate } from '../database/database-errors';
import { insertRow } from '../database/rows';
import { affectedRows, inList, type StatementRunner } from '../database/statements';
import { groupBy } from '../database/group-by';
import { NoResourceError } from '../errors/domain-errors';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { type StarRow, toStarDto } from './comment.mapper';
import { type StarDto } from './dto/comment.dto';
import { Star } from './entities/star.entity';

/** What a star is put on: a comment, or the issue, pull request or wiki page of a thread. */
export type StarTarget = { commentId: number } | { threadId: number };

/** Something that can get a star, and what its stars show of it. */
export interface Starrable {
  threadId: number;
  /** As a person would name it: `[DEMO-1] Welcome`. */
  title: string;
  url: string;
}

/** A star to be written, with what it shows of its target. */
export interface NewStar {
  presenterId: number;
  /** Address and title of what it is on, as a person would read them. */
  url: string;
  title: string;
}

const STAR_COLUMNS = `id, comment_id AS commentId, thread_id AS threadId, comment, url, title,
  presenter_id AS presenterId, created`;

/** Stars `s` with the threads `t` that they hang on, of which a comment's star knows no more than the comment. */
export const STARS_WITH_THREADS = `star s LEFT JOIN comment c ON c.id = s.comment_id
  JOIN comment_thread t ON t.id = COALESCE(s.thread_id, c.thread_id)`;

const MAX_TITLE_LENGTH = 255;

/** Stars on comments and on what threads belong to. */
@Injectable()
export class StarsService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly users: UsersService,
  ) {}

  /** Puts a star; a second one by the same user on the same thing changes nothing. */
  async add(manager: EntityManager, target: StarTarget, star: NewStar): Promise<void> {
    const title = [...star.title].slice(0, MAX_TITLE_LENGTH).join('');
    const row = { ...star, ...target, title, comment: '', created: Date.now() };
    try {
      await insertRow(manager, Star, row);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }

  /**
   * Takes a star away.
   * @throws NoResourceError when somebody else has been faster
   */
  async remove(manager: EntityManager, id: number): Promise<void> {
    const removed = await affectedRows(manager, 'DELETE FROM star WHERE id = ?', [id]);
    if (removed === 0) throw new NoResourceError('star');
  }

  /** The stars on what threads belong to, as the wire shows them, by thread, in two queries. */
  async listByThreads(
    threadIds: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, StarDto[]>> {
    if (threadIds.length === 0) return new Map();
    const list = inList(threadIds);
    const rows = await runner.query<(StarRow & { threadId: number })[]>(
      `SELECT ${STAR_COLUMNS} FROM star WHERE thread_id ${list.sql} ORDER BY id`,
      list.parameters,
    );
    const users: ReadonlyMap<number, UserDto> = await this.users.findByIds(
      rows.map((row) => row.presenterId),
      runner,
    );
    const byThread = groupBy(rows, (row) => row.threadId);
    return new Map([...byThread].map(([id, stars]) => [id, stars.map((star) => toStarDto(star, users))]));
  }
}
