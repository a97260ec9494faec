import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { Environment } from '../config/environment';
import { refusingDuplicate } from '../database/database-errors';
import { insertRow, updateRow } from '../database/rows';
import { affectedRows, columnsOf, inList, lockRow, type StatementRunner } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { isNumeric, parseId } from '../http/request/path-id';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type Caller } from '../access/caller';
import { UsersService } from '../users/users.service';
import { type AddGitRepositoryDto } from './dto/add-git-repository.dto';
import { type GitRepositoryDto } from './dto/git-repository.dto';
import { type UpdateGitRepositoryDto } from './dto/update-git-repository.dto';
import { GitRepository } from './entities/git-repository.entity';
import { type GitRepositoryRow, toGitRepositoryDto } from './git-repository.mapper';

/** A repository as other modules need it. */
export interface RepositoryReference {
  id: number;
  name: string;
}

/** A repository in few words. */
export interface RepositorySummary extends RepositoryReference {
  description: string;
}

const COLUMNS = `${columnsOf('r', [
  'id',
  'projectId',
  'name',
  'description',
  'displayOrder',
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
])}, p.project_key AS projectKey`;

/** The git repositories of projects. */
@Injectable()
export class GitRepositoriesService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly environment: Environment,
    private readonly counters: ProjectCountersService,
    private readonly users: UsersService,
    private readonly activities: ActivitiesService,
  ) {}

  /** All of a project, of which there are no more than its counter lets be, in two queries. */
  list(projectId: number): Promise<GitRepositoryDto[]> {
    return this.readWhere(this.dataSource, 'r.project_id = ?', projectId);
  }

  /**
   * One repository.
   * @throws NoResourceError
   */
  async get(id: number, runner: StatementRunner = this.dataSource): Promise<GitRepositoryDto> {
    const [repository] = await this.readWhere(runner, 'r.id = ?', id);
    if (!repository) throw new NoResourceError('git repository');
    return repository;
  }

  /** Repositories in few words by id, in one query. */
  async findSummaries(
    ids: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, RepositorySummary>> {
    if (ids.length === 0) return new Map();
    const list = inList([...new Set(ids)]);
    const rows = await runner.query<RepositorySummary[]>(
      `SELECT id, name, description FROM git_repository WHERE id ${list.sql}`,
      list.parameters,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  /**
   * The repository of a path's `repoIdOrName` in a project: all digits are the id, anything else the name.
   * @throws NoResourceError
   */
  async getInProject(projectId: number, idOrName: string | undefined): Promise<RepositoryReference> {
    const byId = idOrName !== undefined && isNumeric(idOrName);
    const value = byId ? parseId(idOrName) : idOrName;
    if (value === undefined) throw new NoResourceError('git repository');
    const [row] = await this.dataSource.query<RepositoryReference[]>(
      `SELECT id, name FROM git_repository WHERE project_id = ? AND ${byId ? 'id' : 'name'} = ?`,
      [projectId, value],
    );
    // Databases compare more loosely: some take spaces at the end, or what follows a NUL, for nothing.
    if (!row || (!byId && row.name !== value)) throw new NoResourceError('git repository');
    return row;
  }

  /**
   * Adds a repository to a project, and writes activity 13.
   * @throws InvalidRequestError when the project has one of that name, ResourceOverflowError when it has too many
   */
  create(projectId: number, caller: Caller, body: AddGitRepositoryDto): Promise<GitRepositoryDto> {
    return this.transactions.run(async (manager) => {
      const { name, description } = body;
      const id = await this.add(manager, { projectId, name, description, createdUserId: caller.id });
      const repository = await this.get(id, manager);
      await this.activities.record(manager, {
        projectId,
        type: ActivityType.GitRepositoryCreated,
        content: { repository: { id, name, description } },
        createdUserId: caller.id,
        created: Date.now(),
      });
      return repository;
    });
  }

  /**
   * Changes name and description; tells nobody.
   * @throws InvalidRequestError when the project has another of that name
   */
  async update(id: number, caller: Caller, changes: UpdateGitRepositoryDto): Promise<GitRepositoryDto> {
    await this.transactions.run(async (manager) => {
      if (!(await lockRow(manager, 'git_repository', id))) throw new NoResourceError('git repository');
      const before = (await this.findSummaries([id], manager)).get(id) as RepositorySummary;
      const { name = before.name, description = before.description } = changes;
      if (name === before.name && description === before.description) return;
      const row = { name, description, updatedUserId: caller.id, updated: Date.now() };
      await refusingDuplicateName(updateRow(manager, GitRepository, id, row));
    });
    return this.get(id);
  }

  /**
   * Writes a repository in a transaction that is open already.
   * @throws InvalidRequestError when the project has one of that name, ResourceOverflowError when it has too many
   */
  async add(
    manager: EntityManager,
    repository: Pick<GitRepository, 'projectId' | 'name' | 'description' | 'createdUserId'>,
  ): Promise<number> {
    const number = await this.counters.take(manager, repository.projectId, 'gitRepository');
    const now = Date.now();
    const row = {
      ...repository,
      displayOrder: number - 1,
      created: now,
      updatedUserId: repository.createdUserId,
      updated: now,
    };
    return refusingDuplicateName(insertRow(manager, GitRepository, row));
  }

  /**
   * The next number of a pull request. Until the transaction ends, nobody else gets one of the repository, and nobody
   * removes it.
   * @throws NoResourceError when it is gone
   */
  async takePullRequestNumber(manager: EntityManager, id: number): Promise<number> {
    const taken = await affectedRows(
      manager,
      'UPDATE git_repository SET last_number = last_number + 1 WHERE id = ?',
      [id],
    );
    if (taken === 0) throw new NoResourceError('git repository');
    const [row] = await manager.query<{ number: number }[]>(
      'SELECT last_number AS number FROM git_repository WHERE id = ?',
      [id],
    );
    return (row as { number: number }).number;
  }

  private async readWhere(
    runner: StatementRunner,
    condition: string,
    value: number,
  ): Promise<GitRepositoryDto[]> {
    const rows = await runner.query<GitRepositoryRow[]>(
      `SELECT ${COLUMNS} FROM git_repository r JOIN project p ON p.id = r.project_id
        WHERE ${condition} ORDER BY r.display_order, r.id`,
      [value],
    );
    const userIds = rows.flatMap((row) => [row.createdUserId, row.updatedUserId]);
    const users = await this.users.findByIds(userIds, runner);
    return rows.map((row) => toGitRepositoryDto(row, users, this.environment));
  }
}

const refusingDuplicateName = <T>(statement: Promise<T>): Promise<T> =>
  refusingDuplicate(statement, 'name', 'The project has a git repository of that name already.');
