import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { COMMENTS } from '../../comments/data/comment-sql';
import { columnsOf, type EntityRunner, inList, quoted } from '../../database/sql/statements';
import { Conditions } from '../../database/sql/conditions';
import { countRows } from '../../database/sql/list-page';
import { insertRow } from '../../database/sql/rows';
import { DocumentComment } from '../entities/document-comment.entity';

/** A comment on a document. */
export interface DocumentCommentRow extends Pick<DocumentComment, 'commentId' | 'uid' | 'parentId' | 'json'> {
  plain: string;
  createdUserId: number;
  agentKeyId: number | null;
  created: number;
  updated: number;
  documentUid: string;
  /** Wire id of the comment that this one replies to. */
  parentUid: string | null;
}

/** The keys of a comment that a path identifies. */
export type DocumentCommentKeys = Pick<DocumentComment, 'commentId' | 'parentId' | 'uid'> & {
  ownerId: number;
};

const ROWS = `SELECT ${columnsOf('o', ['commentId', 'uid', 'parentId', 'json'])}, c.content AS plain,
    ${columnsOf('c', ['createdUserId', 'agentKeyId', 'created', 'updated'])}, d.uid AS documentUid, a.uid AS parentUid
  FROM document_comment o JOIN ${COMMENTS} ON c.id = o.comment_id
  JOIN document d ON d.thread_id = c.thread_id
  LEFT JOIN document_comment a ON a.comment_id = o.parent_id`;

/** Stores comments on documents. The fields shared with other comments are in the table of all comments. */
@Injectable()
export class DocumentCommentRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the ids of a document's comments and replies, oldest first. */
  async findIds(threadId: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT c.id AS id FROM ${COMMENTS} JOIN document_comment o ON o.comment_id = c.id
        WHERE c.thread_id = ? ORDER BY c.id`,
      [threadId],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns comments and replies by id, oldest first. */
  findByIds(ids: readonly number[], runner: EntityRunner = this.dataSource): Promise<DocumentCommentRow[]> {
    const list = inList(ids);
    return runner.query<DocumentCommentRow[]>(
      `${ROWS} WHERE o.comment_id ${list.sql} ORDER BY o.comment_id`,
      list.parameters,
    );
  }

  /** Returns the ids of a comment and its replies, oldest first. */
  async findIdsWithReplies(id: number, runner: EntityRunner = this.dataSource): Promise<number[]> {
    const rows = await runner.query<{ id: number }[]>(
      'SELECT comment_id AS id FROM document_comment WHERE comment_id = ? OR parent_id = ? ORDER BY comment_id',
      [id, id],
    );
    return rows.map((row) => row.id);
  }

  /** Returns the keys of a thread's comment by its id on the wire. */
  async findKeys(
    threadId: number,
    uid: string,
    runner: EntityRunner = this.dataSource,
  ): Promise<DocumentCommentKeys | undefined> {
    const [row] = await runner.query<DocumentCommentKeys[]>(
      `SELECT ${columnsOf('o', ['commentId', 'parentId', 'uid'])}, c.created_user_id AS ownerId
         FROM document_comment o JOIN ${COMMENTS} ON c.id = o.comment_id
        WHERE o.uid = ? AND c.thread_id = ?`,
      [uid, threadId],
    );
    return row;
  }

  /** Counts the comments and replies of a document. */
  count(manager: EntityManager, threadId: number): Promise<number> {
    const conditions = new Conditions().add('c.thread_id = ?', threadId);
    return countRows(manager, { from: COMMENTS, conditions });
  }

  async insert(manager: EntityManager, comment: Omit<DocumentComment, 'comment'>): Promise<void> {
    await insertRow(manager, DocumentComment, comment);
  }

  async updateJson(manager: EntityManager, id: number, json: string): Promise<void> {
    await manager.query(`UPDATE document_comment SET ${quoted('json')} = ? WHERE comment_id = ?`, [json, id]);
  }
}
