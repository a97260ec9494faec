import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { countRows } from '../../database/sql/list-page';
import { hydrateRows, insertRow, selectRow, updateRow } from '../../database/sql/rows';
import { columnsOf, type EntityRunner, inList, isEmbedded, lockRow } from '../../database/sql/statements';
import { type IdPaging, type Page, toIdPage } from '../../paging/page';
import { JOINED_USER_COLUMNS, type JoinedUser } from '../../users/user.mapper';
import { joinUser, USERS } from '../../users/data/user-sql';
import { Comment } from '../entities/comment.entity';

const COMMENT_KEYS = [
  'id',
  'content',
  'changeLog',
  'createdUserId',
  'agentKeyId',
  'created',
  'updated',
] as const;

/** The fields of a comment that responses show. */
export type CommentRow = Pick<Comment, (typeof COMMENT_KEYS)[number]>;

/** A comment with its author. */
export type AuthoredComment = CommentRow & JoinedUser;

const AUTHORED_COLUMNS = `${columnsOf('c', COMMENT_KEYS)},
  ${JOINED_USER_COLUMNS}`;
const BY_AUTHOR = joinUser('c.created_user_id');

/** Stores comments. */
@Injectable()
export class CommentRepository {
  /**
   * Index hint. Without it, MariaDB reads a thread from its end to the start of the page: with a bound on the id, it uses only the first
   * column of the index.
   */
  private readonly threadIndex: string;
  private readonly authorIndex: string;

  constructor(private readonly dataSource: DataSource) {
    const forced = (index: string): string => (isEmbedded(dataSource) ? '' : `FORCE INDEX (${index})`);
    this.threadIndex = forced('ix_comment_thread_id_id');
    this.authorIndex = forced('ix_comment_created_user_id_thread_id');
  }

  /** Returns one page of a thread's comments. */
  async findPage(threadId: number, query: IdPaging): Promise<Page<AuthoredComment>> {
    const conditions = ['c.thread_id = ?'];
    const parameters = [threadId];
    if (query.minId !== undefined) {
      conditions.push('c.id >= ?');
      parameters.push(query.minId);
    }
    if (query.maxId !== undefined) {
      conditions.push('c.id <= ?');
      parameters.push(query.maxId);
    }
    const ordered = `ORDER BY c.id ${query.order === 'asc' ? 'ASC' : 'DESC'}`;
    const comments = `comment c ${this.threadIndex}`;
    const rest = `WHERE ${conditions.join(' AND ')} ${ordered} LIMIT ${query.count + 1}`;
    const rows = await this.dataSource.query<AuthoredComment[]>(
      query.offset === 0
        ? `SELECT ${AUTHORED_COLUMNS} FROM ${comments} ${BY_AUTHOR} ${rest}`
        : // Skips entries of the index instead of whole comments with their authors.
          `SELECT ${AUTHORED_COLUMNS} FROM (SELECT c.id FROM ${comments} ${rest} OFFSET ${query.offset}) p
             JOIN comment c ON c.id = p.id ${BY_AUTHOR} ${ordered}`,
      parameters,
    );
    return toIdPage(await hydrateRows(this.dataSource, Comment, ['changeLog'], rows), query);
  }

  /** Returns the comments with these ids, in no particular order. */
  async findByIds(
    ids: readonly number[],
    runner: EntityRunner = this.dataSource,
  ): Promise<AuthoredComment[]> {
    const list = inList(ids);
    const rows = await runner.query<AuthoredComment[]>(
      `SELECT ${AUTHORED_COLUMNS} FROM comment c ${BY_AUTHOR} WHERE c.id ${list.sql}`,
      list.parameters,
    );
    return hydrateRows(runner, Comment, ['changeLog'], rows);
  }

  /** Counts the comments of a thread. */
  count(threadId: number): Promise<number> {
    const conditions = new Conditions().add('thread_id = ?', threadId);
    return countRows(this.dataSource, { from: 'comment', conditions });
  }

  /**
   * Returns the ids of the users who have commented in a thread. Uses one index lookup per user of the space instead of reading the
   * comments, because a thread can hold a million of them.
   */
  async findAuthorIds(threadId: number, limit: number): Promise<number[]> {
    // EXISTS is not used because MariaDB would reorder it and read all comments of the thread.
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT u.id AS id FROM ${USERS}
        WHERE (SELECT c.id FROM comment c ${this.authorIndex}
                WHERE c.created_user_id = u.id AND c.thread_id = ? LIMIT 1) IS NOT NULL
        ORDER BY u.id LIMIT ${limit}`,
      [threadId],
    );
    return rows.map((row) => row.id);
  }

  /** Returns the thread and the author of a comment, if it exists. */
  async findPlace(id: number): Promise<{ threadId: number; authorId: number } | undefined> {
    const keys = ['threadId', 'createdUserId'] as const;
    const row = await selectRow(this.dataSource, Comment, keys, 'WHERE id = ?', [id]);
    return row && { threadId: row.threadId, authorId: row.createdUserId };
  }

  insert(manager: EntityManager, comment: Omit<Comment, 'id' | 'thread' | 'createdUser'>): Promise<number> {
    return insertRow(manager, Comment, comment);
  }

  update(
    manager: EntityManager,
    id: number,
    changes: Partial<Pick<Comment, 'content' | 'changeLog' | 'updated' | 'agentKeyId'>>,
  ): Promise<void> {
    return updateRow(manager, Comment, id, changes);
  }

  /** Locks a comment and reads it; must be the transaction's first use of the row. */
  async lock(
    manager: EntityManager,
    id: number,
  ): Promise<Pick<Comment, 'content' | 'changeLog'> | undefined> {
    await lockRow(manager, 'comment', id);
    return selectRow(manager, Comment, ['content', 'changeLog'], 'WHERE id = ?', [id]);
  }

  /** Locks a comment without writing to it. */
  async lockForRemoval(manager: EntityManager, id: number): Promise<void> {
    await lockRow(manager, 'comment', id);
  }

  /** Deletes a comment with its stars and notifications. */
  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM comment WHERE id = ?', [id]);
  }
}

/** Returns the author of a comment; undefined if the thread has no such comment. */
export async function findAuthorId(
  runner: EntityRunner,
  id: number,
  threadId: number,
): Promise<number | undefined> {
  const row = await selectRow(runner, Comment, ['createdUserId'], 'WHERE id = ? AND thread_id = ?', [
    id,
    threadId,
  ]);
  return row?.createdUserId;
}
