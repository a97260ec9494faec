import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { entityColumns, insertRows, selectRows } from '../../database/sql/rows';
import { type EntityRunner, inList } from '../../database/sql/statements';
import { DocumentTag } from '../entities/document-tag.entity';
import { DocumentTagging } from '../entities/document-tagging.entity';

/** A tag, with the fields that responses show. */
export type DocumentTagRow = Pick<DocumentTag, 'id' | 'name'>;

/** A tag of a document. */
export type TagOfDocument = DocumentTagRow & Pick<DocumentTagging, 'documentId'>;

/** Stores tags and their assignment to documents. Callers that change them must have locked the tree. */
@Injectable()
export class DocumentTagRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the tags of documents, ordered by name. */
  findOfDocuments(ids: readonly number[], runner: EntityRunner = this.dataSource): Promise<TagOfDocument[]> {
    const list = inList(ids);
    return runner.query<TagOfDocument[]>(
      `SELECT ${entityColumns(runner, DocumentTag, ['id', 'name'], 't')}, g.document_id AS documentId
         FROM document_tagging g JOIN document_tag t ON t.id = g.tag_id
        WHERE g.document_id ${list.sql} ORDER BY t.name`,
      list.parameters,
    );
  }

  /** Returns the tags of a project that have one of the names. */
  findByNames(
    manager: EntityManager,
    projectId: number,
    names: readonly string[],
  ): Promise<DocumentTagRow[]> {
    const list = inList(names);
    return selectRows(manager, DocumentTag, ['id', 'name'], `WHERE project_id = ? AND name ${list.sql}`, [
      projectId,
      ...list.parameters,
    ]);
  }

  async insert(manager: EntityManager, projectId: number, names: readonly string[]): Promise<void> {
    await insertRows(
      manager,
      DocumentTag,
      names.map((name) => ({ projectId, name })),
    );
  }

  /** Adds tags to a document that does not have them yet. */
  async addToDocument(manager: EntityManager, documentId: number, tagIds: readonly number[]): Promise<void> {
    await insertRows(
      manager,
      DocumentTagging,
      tagIds.map((tagId) => ({ documentId, tagId })),
    );
  }

  /** Removes tags from a document. */
  async removeFromDocument(
    manager: EntityManager,
    documentId: number,
    tagIds: readonly number[],
  ): Promise<void> {
    const list = inList(tagIds);
    await manager.query(`DELETE FROM document_tagging WHERE document_id = ? AND tag_id ${list.sql}`, [
      documentId,
      ...list.parameters,
    ]);
  }

  /** Removes all tags from documents. */
  async removeFromDocuments(manager: EntityManager, documentIds: readonly number[]): Promise<void> {
    const list = inList(documentIds);
    await manager.query(`DELETE FROM document_tagging WHERE document_id ${list.sql}`, list.parameters);
  }

  /** Deletes the given tags that no document has. */
  async deleteUnused(manager: EntityManager, tagIds: readonly number[]): Promise<void> {
    const list = inList(tagIds);
    const used = await manager.query<{ id: number }[]>(
      `SELECT DISTINCT tag_id AS id FROM document_tagging WHERE tag_id ${list.sql}`,
      list.parameters,
    );
    const usedIds = new Set(used.map(({ id }) => id));
    const unused = inList(tagIds.filter((id) => !usedIds.has(id)));
    await manager.query(`DELETE FROM document_tag WHERE id ${unused.sql}`, unused.parameters);
  }

  /** Deletes up to `limit` tags of a project and returns their number. */
  async deleteSomeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const tags = await selectRows(manager, DocumentTag, ['id'], `WHERE project_id = ? LIMIT ${limit}`, [
      projectId,
    ]);
    if (tags.length === 0) return 0;
    const list = inList(tags.map((tag) => tag.id));
    await manager.query(`DELETE FROM document_tag WHERE id ${list.sql}`, list.parameters);
    return tags.length;
  }
}
