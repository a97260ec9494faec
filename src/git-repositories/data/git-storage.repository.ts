import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, selectRow, selectRows } from '../../database/sql/rows';
import { forWrite, inList } from '../../database/sql/statements';
import { GitRef } from '../entities/git-ref.entity';
import { GitRepository } from '../entities/git-repository.entity';
import { RemovedGitRepository } from '../entities/removed-git-repository.entity';

/** Rows that record which repositories have folders, and how large these are. */
@Injectable()
export class GitStorageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the ids of repositories, ascending, at most `limit` after an id. */
  async findIdsAfter(id: number, limit: number): Promise<number[]> {
    const rows = await selectRows(
      this.dataSource,
      GitRepository,
      ['id'],
      'WHERE id > ? ORDER BY id LIMIT ?',
      [id, limit],
    );
    return rows.map((row) => row.id);
  }

  /** Returns those ids that belong to a repository, or to a removed one whose folder has not been removed yet. */
  async findKnown(ids: readonly number[]): Promise<Set<number>> {
    if (ids.length === 0) return new Set();
    const { sql, parameters } = inList(ids);
    const rows = await selectRows(this.dataSource, GitRepository, ['id'], `WHERE id ${sql}`, parameters);
    const removed = await selectRows(
      this.dataSource,
      RemovedGitRepository,
      ['repositoryId'],
      `WHERE repository_id ${sql}`,
      parameters,
    );
    return new Set([...rows.map((row) => row.id), ...removed.map((row) => row.repositoryId)]);
  }

  async exists(id: number): Promise<boolean> {
    return (await selectRow(this.dataSource, GitRepository, ['id'], 'WHERE id = ?', [id])) !== undefined;
  }

  /** Returns whether a repository has recorded branches or tags. */
  async hasRefs(id: number): Promise<boolean> {
    const ref = await selectRow(this.dataSource, GitRef, ['name'], 'WHERE repository_id = ? LIMIT 1', [id]);
    return ref !== undefined;
  }

  /** Returns the ids of removed repositories whose folders have not been removed yet. */
  async findRemoved(limit: number): Promise<number[]> {
    const rows = await selectRows(
      this.dataSource,
      RemovedGitRepository,
      ['repositoryId'],
      'ORDER BY repository_id LIMIT ?',
      [limit],
    );
    return rows.map((row) => row.repositoryId);
  }

  /**
   * Records a repository as removed; the caller deletes its row in the same transaction.
   * @returns its size in bytes
   */
  async markRemoved(manager: EntityManager, id: number): Promise<number> {
    const row = await selectRow(manager, GitRepository, ['size'], `WHERE id = ?${forWrite(manager)}`, [id]);
    if (!row) return 0;
    await insertRow(manager, RemovedGitRepository, { repositoryId: id });
    return row.size;
  }

  async deleteRemoved(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const { sql, parameters } = inList(ids);
    await manager.query(`DELETE FROM removed_git_repository WHERE repository_id ${sql}`, parameters);
  }

  /**
   * Updates the size of a repository.
   * @returns its growth in bytes; 0 when it is gone
   */
  async updateSize(manager: EntityManager, id: number, size: number): Promise<number> {
    const [row] = await selectRows(manager, GitRepository, ['size'], `WHERE id = ?${forWrite(manager)}`, [
      id,
    ]);
    if (!row || row.size === size) return 0;
    await manager.query('UPDATE git_repository SET size = ? WHERE id = ?', [size, id]);
    return size - row.size;
  }
}
