import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { entityColumns } from '../../database/sql/rows';
import { type Select, selectTogether } from '../../database/sql/select-together';
import {
  affectedRows,
  type EntityRunner,
  inList,
  lockRows,
  placeholders,
  quoted,
  selectForShare,
  type StatementRunner,
} from '../../database/sql/statements';
import { SharedFile } from '../entities/shared-file.entity';
import { SHARED_FILE_KEYS, type SharedFileRow } from './shared-file.repository';

/** The table in which a feature links shared files to their owners, with `shared_file_id` and the id of the owner. */
export interface SharedFileLink {
  table: string;
  /** The column with the owner's id. */
  owner: string;
}

/** A shared file with the id of an owner to which it is linked. */
export interface LinkedRow extends SharedFileRow {
  ownerId: number;
}

/** Rows that link shared files to their owners, in the table of each feature. */
@Injectable()
export class SharedFileLinkRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the shared files of an owner, in the order of the files' ids. */
  async findFiles(
    link: SharedFileLink,
    ownerId: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<LinkedRow[]> {
    return (await selectTogether(runner, { files: linkedFiles(link, [ownerId]) })).files;
  }

  /**
   * Locks files of a project until the transaction ends, so that none of them is deleted or linked elsewhere, and returns those that
   * exist. Ignores folders.
   */
  async lockFiles(
    manager: EntityManager,
    projectId: number,
    ids: readonly number[],
  ): Promise<SharedFileRow[]> {
    const list = inList(ids);
    const condition = `WHERE project_id = ? AND attachment_id IS NOT NULL AND id ${list.sql}`;
    const parameters = [projectId, ...list.parameters];
    await lockRows(manager, 'shared_file', `${condition} ORDER BY id`, parameters);
    return selectForShare<SharedFileRow>(
      manager,
      `SELECT ${entityColumns(manager, SharedFile, SHARED_FILE_KEYS, 'f')} FROM shared_file f ${condition}`,
      parameters,
    );
  }

  /** Returns the ids of up to `limit` files of a project. They are not ordered: no index has them in order. */
  async findFirstIds(projectId: number, limit: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT id FROM shared_file WHERE project_id = ? AND attachment_id IS NOT NULL LIMIT ${limit}`,
      [projectId],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the ids of the files linked to an owner. */
  async findIds(
    manager: EntityManager,
    { table, owner }: SharedFileLink,
    ownerId: number,
  ): Promise<number[]> {
    const rows = await selectForShare<{ id: number }>(
      manager,
      `SELECT shared_file_id AS id FROM ${table} WHERE ${owner} = ?`,
      [ownerId],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the largest number of owners to which one of the files is linked. */
  async countMostLinks(
    manager: EntityManager,
    { table }: SharedFileLink,
    fileIds: readonly number[],
  ): Promise<number> {
    const rows = await selectForShare<{ links: number | string }>(
      manager,
      `SELECT COUNT(*) AS links FROM ${table} WHERE shared_file_id IN (${placeholders(fileIds)})
        GROUP BY shared_file_id`,
      fileIds,
    );
    return Math.max(0, ...rows.map(({ links }) => Number(links)));
  }

  async insert(
    manager: EntityManager,
    { table, owner }: SharedFileLink,
    ownerId: number,
    fileIds: readonly number[],
  ): Promise<void> {
    await manager.query(
      `INSERT INTO ${quoted(table)} (shared_file_id, ${quoted(owner)})
        VALUES ${fileIds.map(() => '(?, ?)').join(', ')}`,
      fileIds.flatMap((id) => [id, ownerId]),
    );
  }

  /** Removes the link of a file; returns whether there was one. */
  async remove(
    manager: EntityManager,
    { table, owner }: SharedFileLink,
    ownerId: number,
    fileId: number,
  ): Promise<boolean> {
    const removed = await affectedRows(
      manager,
      `DELETE FROM ${table} WHERE shared_file_id = ? AND ${owner} = ?`,
      [fileId, ownerId],
    );
    return removed > 0;
  }
}

/** Selects the shared files of several owners, in the order of the files' ids. */
export const linkedFiles = ({ table, owner }: SharedFileLink, ids: readonly number[]): Select<LinkedRow> => ({
  alias: 'f',
  keys: SHARED_FILE_KEYS,
  others: { ownerId: `l.${owner}` },
  from: `${table} l JOIN shared_file f ON f.id = l.shared_file_id`,
  column: `l.${owner}`,
  ids,
});

/** Returns whether a file is linked to an owner; for the loaders of `childOf`, which get only a data source. */
export async function isLinked(
  runner: StatementRunner,
  { table, owner }: SharedFileLink,
  ownerId: number,
  fileId: number,
): Promise<boolean> {
  const rows = await runner.query<unknown[]>(
    `SELECT shared_file_id FROM ${table} WHERE shared_file_id = ? AND ${owner} = ?`,
    [fileId, ownerId],
  );
  return rows.length > 0;
}
