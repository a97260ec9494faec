import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRowIfMissing, selectRow, selectRows } from '../../database/sql/rows';
import { inList, lockRow } from '../../database/sql/statements';
import { DocumentStatus } from '../document-status';
import { DocumentTree } from '../entities/document-tree.entity';
import { Document } from '../entities/document.entity';

const NODE = ['id', 'uid', 'parentId', 'title', 'emoji', 'statusId', 'updated'] as const;
const PLACE = ['id', 'parentId', 'depth', 'statusId', 'removalDue'] as const;

/** The fields of a document that the tree shows. */
export type NodeRow = Pick<Document, (typeof NODE)[number]>;

/** The position of a document in the tree. */
export type PlaceRow = Pick<Document, (typeof PLACE)[number]>;

/** Maximum number of rows that one statement changes. */
const CHANGED_AT_ONCE = 500;

/** Stores the hierarchy of documents. */
@Injectable()
export class DocumentTreeRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Locks the tree of a project until the transaction ends; must be the transaction's first statement. */
  async lock(manager: EntityManager, projectId: number): Promise<void> {
    if (await lockRow(manager, 'document_tree', projectId)) return;
    await insertRowIfMissing(manager, DocumentTree, { id: projectId });
    await lockRow(manager, 'document_tree', projectId);
  }

  /** Returns all documents of a project, including those in the trash, in their order. */
  findNodes(projectId: number): Promise<NodeRow[]> {
    return selectRows(
      this.dataSource,
      Document,
      NODE,
      'WHERE project_id = ? AND status_id < ? ORDER BY position, id',
      [projectId, DocumentStatus.Removed],
    );
  }

  /** Returns the positions of all documents of a project. */
  findPlaces(manager: EntityManager, projectId: number): Promise<PlaceRow[]> {
    return selectRows(manager, Document, PLACE, 'WHERE project_id = ? AND status_id < ?', [
      projectId,
      DocumentStatus.Removed,
    ]);
  }

  /** Returns the position of a document by its id on the wire, if it belongs to the project. */
  findPlace(manager: EntityManager, projectId: number, uid: string): Promise<PlaceRow | undefined> {
    return selectRow(manager, Document, PLACE, 'WHERE uid = ? AND project_id = ? AND status_id < ?', [
      uid,
      projectId,
      DocumentStatus.Removed,
    ]);
  }

  /** Returns the first and the last position below a document, or at the top level; null when there is none. */
  async findEnds(
    manager: EntityManager,
    projectId: number,
    parentId: number | null,
  ): Promise<{ first: number | null; last: number | null }> {
    const [row] = await manager.query<[{ first: number | string | null; last: number | string | null }]>(
      `SELECT MIN(position) AS first, MAX(position) AS last FROM document
        WHERE project_id = ? AND ${parentId === null ? 'parent_id IS NULL' : 'parent_id = ?'}`,
      parentId === null ? [projectId] : [projectId, parentId],
    );
    const toNumber = (value: number | string | null): number | null =>
      value === null ? null : Number(value);
    return { first: toNumber(row.first), last: toNumber(row.last) };
  }

  /** Increases the depth of documents by a number of levels. */
  async deepen(manager: EntityManager, ids: readonly number[], levels: number): Promise<void> {
    if (levels === 0) return;
    await inParts(ids, async (part) => {
      const list = inList(part);
      await manager.query(`UPDATE document SET depth = depth + ? WHERE id ${list.sql}`, [
        levels,
        ...list.parameters,
      ]);
    });
  }

  /** Sets the status of documents, and the time at which they are removed. */
  async setStatus(
    manager: EntityManager,
    ids: readonly number[],
    statusId: DocumentStatus,
    removalDue: number | null,
  ): Promise<void> {
    await inParts(ids, async (part) => {
      const list = inList(part);
      await manager.query(`UPDATE document SET status_id = ?, removal_due = ? WHERE id ${list.sql}`, [
        statusId,
        removalDue,
        ...list.parameters,
      ]);
    });
  }
}

async function inParts(ids: readonly number[], work: (part: number[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < ids.length; start += CHANGED_AT_ONCE) {
    await work(ids.slice(start, start + CHANGED_AT_ONCE));
  }
}
