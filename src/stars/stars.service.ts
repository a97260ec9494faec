import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Caller } from '../access/caller';
import { isDuplicate } from '../database/connections/database-errors';
import { NoResourceError } from '../errors/domain-errors';
import { type IdPaging, Page } from '../paging/page';
import { UsersService } from '../users/users.service';
import { StarRepository } from './data/star.repository';
import { type CountStarsQuery } from './dto/count-stars-query.dto';
import { type StarDto } from './dto/star.dto';
import { toStarDto } from './star.mapper';

/** The target of a star: a comment, or the issue, pull request or wiki page of a thread. */
export type StarTarget = { commentId: number } | { threadId: number };

/** A subject that users can star, with the fields that its stars show. */
export interface Starrable {
  threadId: number;
  projectId: number;
  /** The author, who receives the stars. */
  authorId: number;
  /** Whether it is hidden from roles that cannot see git. */
  developersOnly?: boolean;
  /** Display title, such as `[DEMO-1] Welcome`. */
  title: string;
  url: string;
}

/** A star to insert, with the fields that it shows of its subject. */
export interface NewStar extends Omit<Starrable, 'threadId'> {
  presenterId: number;
}

const MAX_TITLE_LENGTH = 255;

/** Manages stars on comments and on the issues, pull requests and wiki pages that own threads. */
@Injectable()
export class StarsService {
  constructor(
    private readonly stars: StarRepository,
    private readonly users: UsersService,
  ) {}

  /** Adds a star; a second one by the same user on the same target changes nothing. */
  async add(
    manager: EntityManager,
    target: StarTarget,
    { presenterId, authorId, projectId, developersOnly = false, url, title }: NewStar,
  ): Promise<void> {
    try {
      await this.stars.insert(manager, {
        ...target,
        presenterId,
        receiverId: authorId,
        projectId,
        developersOnly,
        url,
        title: [...title].slice(0, MAX_TITLE_LENGTH).join(''),
        comment: '',
        created: Date.now(),
      });
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

  /** Returns one page of the stars that a user has received on subjects that the caller can see. */
  async listReceived(userId: number, caller: Caller, query: IdPaging): Promise<Page<StarDto>> {
    const { items, next } = await this.stars.findReceived(userId, caller, query);
    const users = await this.users.findByIds(items.map((row) => row.presenterId));
    return new Page(
      items.map((star) => toStarDto(star, users)),
      next,
    );
  }

  /** Counts the stars that a user has received in a range of days on subjects that the caller can see. */
  async countReceived(userId: number, caller: Caller, days: CountStarsQuery): Promise<{ count: number }> {
    return { count: await this.stars.countReceived(userId, caller, days) };
  }

  /** Returns the stars on the owner of a thread, oldest first, in two queries. */
  async listOfThread(threadId: number): Promise<StarDto[]> {
    const rows = await this.stars.findByThread(threadId);
    const users = await this.users.findByIds(rows.map((row) => row.presenterId));
    return rows.map((star) => toStarDto(star, users));
  }
}
