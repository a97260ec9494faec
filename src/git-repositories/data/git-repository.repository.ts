import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { invalidIfDuplicate } from '../../database/connections/database-errors';
import {
  entityColumns,
  hydrateRows,
  insertRow,
  selectRow,
  selectRows,
  updateRow,
} from '../../database/sql/rows';
import { affectedRows, type EntityRunner, inList, lockRow } from '../../database/sql/statements';
import { NoResourceError } from '../../errors/domain-errors';
import { GitRepository } from '../entities/git-repository.entity';
import { joinProjectKey, PROJECT_KEY_COLUMN } from '../../projects/data/project-key-sql';

const COLUMNS = [
  'id',
  'projectId',
  'name',
  'description',
  'displayOrder',
  'defaultBranch',
  'protectsDefaultBranch',
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
  'pushedAt',
] as const satisfies readonly (keyof GitRepository)[];

/** A git repository with the key of its project. */
export type GitRepositoryRow = Pick<GitRepository, (typeof COLUMNS)[number]> & { projectKey: string };

export type RepositoryReference = Pick<GitRepository, 'id' | 'name'>;

/** The branch that a clone checks out, and whether it is protected. */
export type DefaultBranch = Pick<GitRepository, 'defaultBranch' | 'protectsDefaultBranch'>;

/** A git repository as shown in activities and in lists of other resources. */
export type RepositorySummary = Pick<GitRepository, 'id' | 'name' | 'description'>;

/** Rows of git repositories. */
@Injectable()
export class GitRepositoryRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns all git repositories of a project in display order. */
  findOfProject(projectId: number, runner: EntityRunner = this.dataSource): Promise<GitRepositoryRow[]> {
    return this.findWhere(runner, 'r.project_id = ?', projectId);
  }

  async findById(id: number, runner: EntityRunner = this.dataSource): Promise<GitRepositoryRow | undefined> {
    const [row] = await this.findWhere(runner, 'r.id = ?', id);
    return row;
  }

  /** Returns the ids of git repositories, ascending, at most `limit` after an id. */
  async findIds(afterId: number, limit: number): Promise<number[]> {
    const rows = await selectRows(
      this.dataSource,
      GitRepository,
      ['id'],
      'WHERE id > ? ORDER BY id LIMIT ?',
      [afterId, limit],
    );
    return rows.map(({ id }) => id);
  }

  async findSummaries(
    ids: readonly number[],
    runner: EntityRunner = this.dataSource,
  ): Promise<RepositorySummary[]> {
    if (ids.length === 0) return [];
    const { sql, parameters } = inList([...new Set(ids)]);
    return selectRows(runner, GitRepository, ['id', 'name', 'description'], `WHERE id ${sql}`, parameters);
  }

  /**
   * Returns the git repository of a project with an id or a name.
   * @param idOrName an id if it is a number
   */
  async findInProject(
    projectId: number,
    idOrName: number | string,
  ): Promise<RepositoryReference | undefined> {
    const column = typeof idOrName === 'number' ? 'id' : 'name';
    const row = await selectRow(
      this.dataSource,
      GitRepository,
      ['id', 'name'],
      `WHERE project_id = ? AND ${column} = ?`,
      [projectId, idOrName],
    );
    // Databases compare texts more loosely: some ignore trailing spaces, or everything after a NUL.
    return row?.[column] === idOrName ? row : undefined;
  }

  findDefaultBranch(id: number, runner: EntityRunner = this.dataSource): Promise<DefaultBranch | undefined> {
    return selectRow(runner, GitRepository, ['defaultBranch', 'protectsDefaultBranch'], 'WHERE id = ?', [id]);
  }

  /** @returns whether the default branch was the expected one */
  async replaceDefaultBranch(
    manager: EntityManager,
    id: number,
    { from, to }: { from: string; to: string },
  ): Promise<boolean> {
    const sql = 'UPDATE git_repository SET default_branch = ? WHERE id = ? AND default_branch = ?';
    return (await affectedRows(manager, sql, [to, id, from])) > 0;
  }

  /**
   * Locks a git repository against changes and additions until the transaction ends.
   * @throws NoResourceError when it has been removed
   */
  async lock(manager: EntityManager, id: number): Promise<void> {
    if (!(await lockRow(manager, 'git_repository', id))) throw new NoResourceError('git repository');
  }

  /** @throws InvalidRequestError when the project already has a git repository with that name */
  insert(manager: EntityManager, repository: Partial<GitRepository>): Promise<number> {
    return invalidIfDuplicateName(insertRow(manager, GitRepository, repository));
  }

  /** @throws InvalidRequestError when the project has another git repository with that name */
  update(manager: EntityManager, id: number, changes: Partial<GitRepository>): Promise<void> {
    return invalidIfDuplicateName(updateRow(manager, GitRepository, id, changes));
  }

  /**
   * Takes the next pull request number. Until the transaction ends, no other transaction can take a number of this git repository or
   * remove it.
   * @throws NoResourceError when it has been removed
   */
  async takePullRequestNumber(manager: EntityManager, id: number): Promise<number> {
    const taken = await affectedRows(
      manager,
      'UPDATE git_repository SET last_number = last_number + 1 WHERE id = ?',
      [id],
    );
    const row = taken === 0 ? undefined : await this.findLastNumber(manager, id);
    if (!row) throw new NoResourceError('git repository');
    return row.lastNumber;
  }

  async delete(manager: EntityManager, id: number): Promise<void> {
    await manager.query('DELETE FROM git_repository WHERE id = ?', [id]);
  }

  /** Returns the id of the oldest git repository of a project. */
  async findFirstId(manager: EntityManager, projectId: number): Promise<number | undefined> {
    const row = await selectRow(manager, GitRepository, ['id'], 'WHERE project_id = ? ORDER BY id LIMIT 1', [
      projectId,
    ]);
    return row?.id;
  }

  private findLastNumber(
    manager: EntityManager,
    id: number,
  ): Promise<Pick<GitRepository, 'lastNumber'> | undefined> {
    return selectRow(manager, GitRepository, ['lastNumber'], 'WHERE id = ?', [id]);
  }

  private async findWhere(
    runner: EntityRunner,
    condition: string,
    value: number,
  ): Promise<GitRepositoryRow[]> {
    const rows = await runner.query<GitRepositoryRow[]>(
      `SELECT ${entityColumns(runner, GitRepository, COLUMNS, 'r')}, ${PROJECT_KEY_COLUMN}
         FROM git_repository r ${joinProjectKey('r.project_id')}
        WHERE ${condition} ORDER BY r.display_order, r.id`,
      [value],
    );
    return hydrateRows(runner, GitRepository, COLUMNS, rows);
  }
}

const invalidIfDuplicateName = <T>(statement: Promise<T>): Promise<T> =>
  invalidIfDuplicate(statement, 'name', 'The project already has a git repository with this name.');
