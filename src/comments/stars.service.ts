import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { isDuplicate } from '../database/database-errors';
import { groupBy } from '../database/group-by';
import { type StatementRunner } from '../database/statements';
import { NoResourceError } from '../errors/domain-errors';
import { type UserDto } from '../users/dto/user.dto';
import { UsersService } from '../users/users.service';
import { type Caller } from '../access/caller';
import { toStarDto } from './comment.mapper';
import { type GivenStar, StarRepository } from './data/star.repository';
import { type StarDto } from './dto/comment.dto';

/** The thing that a star is put on: a comment, or the issue, pull request or wiki page of a thread. */
export type StarTarget = { commentId: number } | { threadId: number };

/** Something that users can star, with what its stars show of it. */
export interface Starrable {
  threadId: number;
  /** As a person would name it: `[DEMO-1] Welcome`. */
  title: string;
  url: string;
}

/** A star to be written, with what it shows of the thing that it is put on. */
export interface NewStar {
  presenterId: number;
  /** Address and title of the thing that it is on, as a person would read them. */
  url: string;
  title: string;
}

const MAX_TITLE_LENGTH = 255;

/** Stars on comments and on the issues, pull requests and wiki pages that own threads. */
@Injectable()
export class StarsService {
  constructor(
    private readonly stars: StarRepository,
    private readonly users: UsersService,
  ) {}

  /** Adds a star; a second one by the same user on the same thing changes nothing. */
  async add(manager: EntityManager, target: StarTarget, star: NewStar): Promise<void> {
    const title = [...star.title].slice(0, MAX_TITLE_LENGTH).join('');
    const row = { ...star, ...target, title, comment: '', created: Date.now() };
    try {
      await this.stars.insert(manager, row);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }

  /**
   * Removes a star.
   * @throws NoResourceError when a concurrent request has removed it
   */
  async remove(manager: EntityManager, id: number): Promise<void> {
    if (!(await this.stars.delete(manager, id))) throw new NoResourceError('star');
  }

  /** A star on something in a project that the caller may see. */
  findVisible(caller: Caller, id: number): Promise<GivenStar | undefined> {
    return this.stars.findVisible(caller, id);
  }

  /** The stars on the owners of threads, as responses show them, by thread, in two queries. */
  async listByThreads(
    threadIds: readonly number[],
    runner?: StatementRunner,
  ): Promise<Map<number, StarDto[]>> {
    if (threadIds.length === 0) return new Map();
    const rows = await this.stars.findByThreads(threadIds, runner);
    const users: ReadonlyMap<number, UserDto> = await this.users.findByIds(
      rows.map((row) => row.presenterId),
      runner,
    );
    const byThread = groupBy(rows, (row) => row.threadId);
    return new Map([...byThread].map(([id, stars]) => [id, stars.map((star) => toStarDto(star, users))]));
  }
}
