import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { countRows, offsetPage } from '../../database/sql/list-page';
import { entityColumns, insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { type EntityRunner, forWrite, inList, lockRow, lockRows } from '../../database/sql/statements';
import { type OffsetPaging, type Page } from '../../paging/page';
import { SharedFile } from '../entities/shared-file.entity';

/** The selected columns. */
export const SHARED_FILE_KEYS = [
  'id',
  'projectId',
  'folderId',
  'pathKey',
  'dir',
  'name',
  'attachmentId',
  'size',
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
] as const satisfies readonly (keyof SharedFile)[];

/** The selected columns of a folder or file. */
export type SharedFileRow = Pick<SharedFile, (typeof SHARED_FILE_KEYS)[number]>;

/** A version of a file. */
export type SharedFileVersion = Pick<SharedFile, 'attachmentId' | 'size' | 'updatedUserId' | 'updated'>;

/** Rows of `shared_file`. */
@Injectable()
export class SharedFileRepository {
  constructor(private readonly dataSource: DataSource) {}

  findById(id: number, runner: EntityRunner = this.dataSource): Promise<SharedFileRow | undefined> {
    return selectRow(runner, SharedFile, SHARED_FILE_KEYS, 'WHERE id = ?', [id]);
  }

  /** Returns the folders and files of a project that have one of these paths, in no particular order. */
  findByPathKeys(
    projectId: number,
    pathKeys: readonly string[],
    runner: EntityRunner = this.dataSource,
  ): Promise<SharedFileRow[]> {
    const list = inList(pathKeys);
    return selectRows(runner, SharedFile, SHARED_FILE_KEYS, `WHERE project_id = ? AND path_key ${list.sql}`, [
      projectId,
      ...list.parameters,
    ]);
  }

  /** Returns one page of a folder, ordered by id. */
  findPage(projectId: number, folderId: number, query: OffsetPaging): Promise<Page<SharedFileRow>> {
    const direction = query.order === 'asc' ? 'ASC' : 'DESC';
    return offsetPage(
      this.dataSource,
      {
        select: entityColumns(this.dataSource, SharedFile, SHARED_FILE_KEYS),
        from: 'shared_file',
        conditions: inFolder(projectId, folderId),
      },
      query,
      `id ${direction}`,
    );
  }

  /** Returns some folders and files of a project after a path key, in the order of their path keys, using an index. */
  findAfter(projectId: number, pathKey: string, limit: number): Promise<SharedFileRow[]> {
    return selectRows(
      this.dataSource,
      SharedFile,
      SHARED_FILE_KEYS,
      `WHERE project_id = ? AND path_key > ? ORDER BY path_key LIMIT ${limit}`,
      [projectId, pathKey],
    );
  }

  /** Returns the number of folders and files in a folder. */
  count(manager: EntityManager, projectId: number, folderId: number): Promise<number> {
    return countRows(manager, { from: 'shared_file', conditions: inFolder(projectId, folderId) });
  }

  /** Locks a folder or file until the transaction ends, and returns its current state; undefined when it is gone. */
  async lock(manager: EntityManager, id: number): Promise<SharedFileRow | undefined> {
    return (await lockRow(manager, 'shared_file', id)) ? this.findById(id, manager) : undefined;
  }

  insert(manager: EntityManager, file: Omit<SharedFileRow, 'id'>): Promise<number> {
    return insertRow(manager, SharedFile, file);
  }

  update(manager: EntityManager, id: number, version: SharedFileVersion): Promise<void> {
    return updateRow(manager, SharedFile, id, version);
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM shared_file WHERE id = ?', [id]);
  }

  /** Deletes some folders and files of a project that is no longer visible; returns them. */
  async deleteSomeOfProject(
    manager: EntityManager,
    projectId: number,
    limit: number,
  ): Promise<Pick<SharedFile, 'id' | 'attachmentId'>[]> {
    const some = await selectRows(manager, SharedFile, ['id'], `WHERE project_id = ? LIMIT ${limit}`, [
      projectId,
    ]);
    if (some.length === 0) return [];
    const { sql, parameters } = inList(some.map(({ id }) => id));
    await lockRows(manager, 'shared_file', `WHERE id ${sql} ORDER BY id`, parameters);
    const rows = await selectRows(
      manager,
      SharedFile,
      ['id', 'attachmentId'],
      `WHERE id ${sql}${forWrite(manager)}`,
      parameters,
    );
    await manager.query(`DELETE FROM shared_file WHERE id ${sql}`, parameters);
    return rows;
  }
}

const inFolder = (projectId: number, folderId: number): Conditions =>
  new Conditions().add('project_id = ?', projectId).add('folder_id = ?', folderId);
