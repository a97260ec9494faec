import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow } from '../../database/rows';
import { affectedRows, columnsOf, inList, type StatementRunner } from '../../database/statements';
import { findVisible } from '../../projects/project-resource';
import { type Caller } from '../../access/caller';
import { Star } from '../entities/star.entity';

const SHOWN_KEYS = ['id', 'comment', 'url', 'title', 'presenterId', 'created'] as const;

/** A star as responses show it. */
export type StarRow = Pick<Star, (typeof SHOWN_KEYS)[number]>;

/** A star that somebody may want to take back. */
export interface GivenStar {
  id: number;
  ownerId: number;
  /** The thread that it hangs on, itself or by its comment. */
  threadId: number;
}

/** The rows of stars. */
@Injectable()
export class StarRepository {
  constructor(private readonly dataSource: DataSource) {}

  async insert(manager: EntityManager, star: Partial<Star>): Promise<void> {
    await insertRow(manager, Star, star);
  }

  /** Deletes a star, and returns whether it was still there. */
  async delete(manager: EntityManager, id: number): Promise<boolean> {
    return (await affectedRows(manager, 'DELETE FROM star WHERE id = ?', [id])) > 0;
  }

  /** The stars on threads themselves, not on their comments; oldest first. */
  findByThreads(
    threadIds: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<(StarRow & { threadId: number })[]> {
    const list = inList(threadIds);
    const columns = columnsOf('s', [...SHOWN_KEYS, 'threadId']);
    return runner.query<(StarRow & { threadId: number })[]>(
      `SELECT ${columns} FROM star s WHERE s.thread_id ${list.sql} ORDER BY s.id`,
      list.parameters,
    );
  }

  /** A star in a project that the caller may see. */
  findVisible(caller: Caller, id: number): Promise<GivenStar | undefined> {
    return findVisible<GivenStar>(this.dataSource, caller, {
      select: 's.id AS id, s.presenter_id AS ownerId, t.id AS threadId',
      // The row of a comment's star names only the comment.
      from: `star s LEFT JOIN comment c ON c.id = s.comment_id
        JOIN comment_thread t ON t.id = COALESCE(s.thread_id, c.thread_id)`,
      projectId: 't.project_id',
      where: 's.id = ?',
      parameters: [id],
    });
  }
}
