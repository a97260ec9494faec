import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRow, insertRows, selectRows, updateRow } from '../../database/sql/rows';
import { type EntityRunner, inList } from '../../database/sql/statements';
import { GitPush, type RefUpdate } from '../entities/git-push.entity';
import { GitRef } from '../entities/git-ref.entity';
import { NO_HASH } from '../refs/ref-names';
import { findRecordedHashes } from './stored-repositories';

/** Rows of announced pushes and of recorded refs. */
@Injectable()
export class GitPushRepository {
  constructor(private readonly dataSource: DataSource) {}

  insert(manager: EntityManager, push: Omit<GitPush, 'id'>): Promise<number> {
    return insertRow(manager, GitPush, push);
  }

  findOfRepository(repositoryId: number, runner: EntityRunner = this.dataSource): Promise<GitPush[]> {
    return selectRows(
      runner,
      GitPush,
      ['id', 'repositoryId', 'userId', 'agentKeyId', 'updates', 'created'],
      'WHERE repository_id = ? ORDER BY id',
      [repositoryId],
    );
  }

  /** Returns pushes with these ids that still exist, at most a few hundred. */
  findByIds(ids: readonly number[], runner: EntityRunner): Promise<Pick<GitPush, 'id' | 'updates'>[]> {
    if (ids.length === 0) return Promise.resolve([]);
    const { sql, parameters } = inList(ids);
    return selectRows(runner, GitPush, ['id', 'updates'], `WHERE id ${sql}`, parameters);
  }

  /** Returns the ids of the pushes of a repository. */
  async findIds(repositoryId: number, runner: EntityRunner): Promise<number[]> {
    const rows = await selectRows(runner, GitPush, ['id'], 'WHERE repository_id = ?', [repositoryId]);
    return rows.map(({ id }) => id);
  }

  /** Returns the ids of repositories that have pushes, ascending, at most `limit` after an id. */
  async findRepositoryIds(afterId: number, limit: number): Promise<number[]> {
    const rows = await this.dataSource.query<{ id: number | string }[]>(
      'SELECT DISTINCT repository_id AS id FROM git_push WHERE repository_id > ? ORDER BY repository_id LIMIT ?',
      [afterId, limit],
    );
    return rows.map(({ id }) => Number(id));
  }

  /** Replaces the updates of a push by those that remain. */
  updateUpdates(manager: EntityManager, id: number, updates: readonly RefUpdate[]): Promise<void> {
    return updateRow(manager, GitPush, id, { updates });
  }

  async delete(manager: EntityManager, ids: readonly number[]): Promise<void> {
    for (let start = 0; start < ids.length; start += BATCH) {
      const { sql, parameters } = inList(ids.slice(start, start + BATCH));
      await manager.query(`DELETE FROM git_push WHERE id ${sql}`, parameters);
    }
  }

  findRefs(
    repositoryId: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<Pick<GitRef, 'name' | 'hash'>[]> {
    return selectRows(runner, GitRef, ['name', 'hash'], 'WHERE repository_id = ?', [repositoryId]);
  }

  /** Returns the hashes last recorded for branches and tags, by the names of the refs. */
  findRecordedHashes(repositoryId: number): Promise<Map<string, string>> {
    return findRecordedHashes(this.dataSource, repositoryId);
  }

  /** Returns those of the named refs that a repository has. At most a few hundred names. */
  findRefsNamed(
    manager: EntityManager,
    repositoryId: number,
    names: readonly string[],
  ): Promise<Pick<GitRef, 'name' | 'hash'>[]> {
    const { sql, parameters } = inList(names);
    return selectRows(manager, GitRef, ['name', 'hash'], `WHERE repository_id = ? AND name ${sql}`, [
      repositoryId,
      ...parameters,
    ]);
  }

  /** Writes the current hashes of refs, at most a few hundred, and deletes refs whose hash is `NO_HASH`. */
  async writeRefs(
    manager: EntityManager,
    repositoryId: number,
    refs: readonly Pick<GitRef, 'name' | 'hash'>[],
  ): Promise<void> {
    if (refs.length === 0) return;
    const { sql, parameters } = inList(refs.map(({ name }) => name));
    await manager.query(`DELETE FROM git_ref WHERE repository_id = ? AND name ${sql}`, [
      repositoryId,
      ...parameters,
    ]);
    const present = refs.filter(({ hash }) => hash !== NO_HASH);
    if (present.length === 0) return;
    await insertRows(
      manager,
      GitRef,
      present.map(({ name, hash }) => ({ repositoryId, name, hash })),
    );
  }
}

const BATCH = 500;
