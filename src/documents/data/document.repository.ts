import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { countRows } from '../../database/sql/list-page';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { columnsOf, type EntityRunner, inList, lockRow } from '../../database/sql/statements';
import { NoResourceError } from '../../errors/domain-errors';
import { findVisible } from '../../projects/data/visible-rows';
import { type DocumentResource } from '../document-resource';
import { DocumentStatus } from '../document-status';
import { Document } from '../entities/document.entity';

const COLUMNS = [
  'id',
  'uid',
  'projectId',
  'threadId',
  'title',
  'emoji',
  'json',
  'plain',
  'statusId',
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
] as const satisfies readonly (keyof Document)[];

const STATE = ['title', 'emoji', 'plain', 'json', 'statusId'] as const satisfies readonly (keyof Document)[];

/** The columns of a document. */
export type DocumentRow = Pick<Document, (typeof COLUMNS)[number]>;

/** The fields of a document that can be changed, apart from its position. */
export type DocumentState = Pick<Document, (typeof STATE)[number]>;

/** The ids of a document, its project and its thread. */
export type DocumentKeys = Pick<Document, 'id' | 'projectId' | 'threadId'>;

/** Stores documents. */
@Injectable()
export class DocumentRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the document that a path identifies if the caller can see its project, in one query. */
  findVisible(caller: Caller, uid: string): Promise<DocumentResource | undefined> {
    return findVisible<DocumentResource>(this.dataSource, caller, {
      select: columnsOf('d', ['id', 'uid', 'projectId', 'threadId', 'statusId']),
      from: 'document d',
      projectId: 'd.project_id',
      where: 'd.uid = ? AND d.status_id < ?',
      parameters: [uid, DocumentStatus.Removed],
    });
  }

  findByIds(ids: readonly number[], runner: EntityRunner = this.dataSource): Promise<DocumentRow[]> {
    const list = inList(ids);
    return selectRows(runner, Document, COLUMNS, `WHERE id ${list.sql}`, list.parameters);
  }

  /** Returns the ids of the documents that own threads, except removed ones. */
  findIdsByThreads(threadIds: readonly number[]): Promise<Pick<Document, 'id' | 'threadId' | 'size'>[]> {
    const list = inList(threadIds);
    return selectRows(
      this.dataSource,
      Document,
      ['id', 'threadId', 'size'],
      `WHERE thread_id ${list.sql} AND status_id < ?`,
      [...list.parameters, DocumentStatus.Removed],
    );
  }

  /** Returns the uids of the active direct children of documents, in their order. */
  findChildren(
    ids: readonly number[],
    runner: EntityRunner = this.dataSource,
  ): Promise<Pick<Document, 'uid' | 'parentId'>[]> {
    const list = inList(ids);
    return selectRows(
      runner,
      Document,
      ['uid', 'parentId'],
      `WHERE parent_id ${list.sql} AND status_id = ? ORDER BY position, id`,
      [...list.parameters, DocumentStatus.Active],
    );
  }

  /** Counts the active documents of a project. */
  count(projectId: number): Promise<number> {
    const conditions = new Conditions()
      .add('project_id = ?', projectId)
      .add('status_id = ?', DocumentStatus.Active);
    return countRows(this.dataSource, { from: 'document', conditions });
  }

  /** Returns up to `limit` documents of a project with ids larger than `after`, oldest first. */
  findSomeAfter(
    projectId: number,
    after: number,
    limit: number,
  ): Promise<Pick<Document, 'id' | 'threadId'>[]> {
    return selectRows(
      this.dataSource,
      Document,
      ['id', 'threadId'],
      `WHERE project_id = ? AND id > ? AND status_id < ? ORDER BY id LIMIT ${limit}`,
      [projectId, after, DocumentStatus.Removed],
    );
  }

  /** Returns up to `limit` documents of a project, in no particular order. */
  findSomeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<DocumentKeys[]> {
    return selectRows(
      manager,
      Document,
      ['id', 'projectId', 'threadId'],
      `WHERE project_id = ? LIMIT ${limit}`,
      [projectId],
    );
  }

  /** Returns up to `limit` documents that are due for removal. */
  findDue(now: number, limit: number): Promise<DocumentKeys[]> {
    return selectRows(
      this.dataSource,
      Document,
      ['id', 'projectId', 'threadId'],
      `WHERE removal_due <= ? ORDER BY removal_due LIMIT ${limit}`,
      [now],
    );
  }

  /** Returns whether a document is still due for removal. */
  async isDue(manager: EntityManager, id: number, now: number): Promise<boolean> {
    const row = await selectRow(manager, Document, ['id'], 'WHERE id = ? AND removal_due <= ?', [id, now]);
    return row !== undefined;
  }

  /**
   * Locks a document until the transaction ends and returns its current state.
   * @throws NoResourceError when it has been removed
   */
  async lock(manager: EntityManager, id: number): Promise<DocumentState> {
    await lockRow(manager, 'document', id);
    const state = await selectRow(manager, Document, STATE, 'WHERE id = ? AND status_id < ?', [
      id,
      DocumentStatus.Removed,
    ]);
    if (!state) throw new NoResourceError('document');
    return state;
  }

  insert(manager: EntityManager, document: Partial<Document>): Promise<number> {
    return insertRow(manager, Document, document);
  }

  update(manager: EntityManager, id: number, changes: Partial<Document>): Promise<void> {
    return updateRow(manager, Document, id, changes);
  }

  async delete(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM document WHERE id ${list.sql}`, list.parameters);
  }
}
