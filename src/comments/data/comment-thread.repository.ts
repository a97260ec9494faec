import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { insertRow, selectRows } from '../../database/sql/rows';
import { inList } from '../../database/sql/statements';
import { findVisible } from '../../projects/data/visible-rows';
import { STARS } from '../../stars/data/star-sql';
import { type GivenStar } from '../../stars/star-subjects.service';
import { CommentThread } from '../entities/comment-thread.entity';
import { RemovedThread } from '../entities/removed-thread.entity';

/** Stores threads, and which of them have contents that are still to be removed. */
@Injectable()
export class CommentThreadRepository {
  constructor(private readonly dataSource: DataSource) {}

  insert(manager: EntityManager, projectId: number): Promise<number> {
    return insertRow(manager, CommentThread, { projectId });
  }

  /** Returns the ids of a project's threads. */
  async findIdsOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number[]> {
    const rows = await selectRows(
      manager,
      CommentThread,
      ['id'],
      `WHERE project_id = ? ORDER BY id LIMIT ${limit}`,
      [projectId],
    );
    return rows.map((row) => row.id);
  }

  /** Returns a star on a thread or one of its comments, in a project that the caller can see. */
  findStar(caller: Caller, starId: number): Promise<GivenStar | undefined> {
    return findVisible<GivenStar>(this.dataSource, caller, {
      select: 's.id AS id, s.presenter_id AS ownerId, t.id AS threadId',
      // The row of a comment's star refers only to the comment.
      from: `${STARS} LEFT JOIN comment c ON c.id = s.comment_id
        JOIN comment_thread t ON t.id = COALESCE(s.thread_id, c.thread_id)`,
      projectId: 't.project_id',
      where: 's.id = ?',
      parameters: [starId],
    });
  }

  /** Deletes threads with their stars and any remaining contents. */
  async delete(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM comment_thread WHERE id ${list.sql}`, list.parameters);
  }

  /** Deletes up to `limit` comments of threads, and returns the number deleted. */
  async deleteComments(manager: EntityManager, ids: readonly number[], limit: number): Promise<number> {
    const threads = inList(ids);
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM comment WHERE thread_id ${threads.sql} LIMIT ${limit}`,
      threads.parameters,
    );
    if (rows.length === 0) return 0;
    const list = inList(rows.map((row) => row.id));
    await manager.query(`DELETE FROM comment WHERE id ${list.sql}`, list.parameters);
    return rows.length;
  }

  /** Records that a thread's contents are still to be removed. */
  async markRemoved(manager: EntityManager, threadId: number): Promise<void> {
    await insertRow(manager, RemovedThread, { threadId });
  }

  /** Returns the threads whose contents are still to be removed. */
  async findRemovedIds(limit: number): Promise<number[]> {
    const rows = await selectRows(
      this.dataSource,
      RemovedThread,
      ['threadId'],
      `ORDER BY thread_id LIMIT ${limit}`,
    );
    return rows.map((row) => row.threadId);
  }
}
