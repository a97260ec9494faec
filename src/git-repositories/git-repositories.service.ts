import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ActivitiesService } from '../activities/activities.service';
import { ActivityType } from '../activities/activity-type';
import { Environment } from '../config/environment';
import { type EntityRunner } from '../database/sql/statements';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
import { isNumeric, parseId } from '../http/request/path-id';
import { ProjectCountersService } from '../projects/project-counters.service';
import { type Caller } from '../access/caller';
import { UsersService } from '../users/users.service';
import { userIdsIn } from '../users/user-ids';
import { type AddGitRepositoryDto } from './dto/add-git-repository.dto';
import { type GitRepositoryDto } from './dto/git-repository.dto';
import { type UpdateGitRepositoryDto } from './dto/update-git-repository.dto';
import {
  GitRepositoryRepository,
  type GitRepositoryRow,
  type RepositoryReference,
  type RepositorySummary,
} from './data/git-repository.repository';
import { type GitRepository } from './entities/git-repository.entity';
import { GitFoldersService } from './storage/git-folders.service';
import { DefaultBranchService } from './default-branch.service';
import { toGitRepositoryDto } from './git-repository.mapper';

/** Fields that an update may change. */
const CHANGEABLE = ['name', 'description', 'defaultBranch', 'protectsDefaultBranch'] as const;

/** Reads, adds and updates the git repositories of projects. */
@Injectable()
export class GitRepositoriesService {
  constructor(
    private readonly rows: GitRepositoryRepository,
    private readonly transactions: TransactionsService,
    private readonly environment: Environment,
    private readonly counters: ProjectCountersService,
    private readonly users: UsersService,
    private readonly activities: ActivitiesService,
    private readonly folders: GitFoldersService,
    private readonly branches: DefaultBranchService,
  ) {}

  /** Returns all git repositories of a project, in two queries. Their number is limited by the project's counter. */
  async list(projectId: number): Promise<GitRepositoryDto[]> {
    return this.toDtos(await this.rows.findOfProject(projectId));
  }

  /**
   * Returns a git repository.
   * @throws NoResourceError
   */
  async get(id: number, runner?: EntityRunner): Promise<GitRepositoryDto> {
    const row = await this.rows.findById(id, runner);
    const [repository] = row ? await this.toDtos([row], runner) : [];
    if (!repository) throw new NoResourceError('git repository');
    return repository;
  }

  /** Returns summaries of git repositories by id, in one query. */
  async findSummaries(
    ids: readonly number[],
    runner?: EntityRunner,
  ): Promise<Map<number, RepositorySummary>> {
    const summaries = await this.rows.findSummaries(ids, runner);
    return new Map(summaries.map((summary) => [summary.id, summary]));
  }

  /**
   * Returns the git repository of a project by the `repoIdOrName` of a path: only digits are an id, anything else is a name.
   * @throws NoResourceError
   */
  async getInProject(projectId: number, idOrName: string | undefined): Promise<RepositoryReference> {
    const key = idOrName !== undefined && isNumeric(idOrName) ? parseId(idOrName) : idOrName;
    const repository = key === undefined ? undefined : await this.rows.findInProject(projectId, key);
    if (!repository) throw new NoResourceError('git repository');
    return repository;
  }

  /**
   * Adds a git repository to a project, and writes activity 13.
   * @throws InvalidRequestError when the name is taken in the project, ResourceOverflowError when it has too many repositories
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
        author: caller,
      });
      return repository;
    });
  }

  /**
   * Updates the given fields; emits no event. `HEAD` follows the default branch the next time git serves the repository.
   * @throws InvalidRequestError when the project has another git repository with that name, or this one has no such branch
   */
  async update(id: number, caller: Caller, changes: UpdateGitRepositoryDto): Promise<GitRepositoryDto> {
    if (changes.defaultBranch !== undefined)
      await this.branches.require(id, changes.defaultBranch, caller.id);
    await this.transactions.run(async (manager) => {
      await this.rows.lock(manager, id);
      const before = (await this.rows.findById(id, manager)) as GitRepositoryRow;
      const fields = CHANGEABLE.filter(
        (field) => changes[field] !== undefined && changes[field] !== before[field],
      );
      if (fields.length === 0) return;
      await this.rows.update(manager, id, {
        ...Object.fromEntries(fields.map((field) => [field, changes[field]])),
        updatedUserId: caller.id,
        updated: Date.now(),
      });
    });
    return this.get(id);
  }

  /**
   * Adds a git repository within an open transaction; emits no event.
   * @throws InvalidRequestError when the name is taken in the project, ResourceOverflowError when it has too many repositories
   */
  async add(
    manager: EntityManager,
    repository: Pick<GitRepository, 'projectId' | 'name' | 'description' | 'createdUserId'>,
  ): Promise<number> {
    const number = await this.counters.take(manager, repository.projectId, 'gitRepository');
    const now = Date.now();
    const id = await this.rows.insert(manager, {
      ...repository,
      displayOrder: number - 1,
      created: now,
      updatedUserId: repository.createdUserId,
      updated: now,
    });
    this.folders.createAfterCommit(manager, id);
    return id;
  }

  /**
   * Takes the next pull request number. Until the transaction ends, no other transaction can take a number of this git repository or
   * remove it.
   * @throws NoResourceError when it has been removed
   */
  takePullRequestNumber(manager: EntityManager, id: number): Promise<number> {
    return this.rows.takePullRequestNumber(manager, id);
  }

  private async toDtos(
    rows: readonly GitRepositoryRow[],
    runner?: EntityRunner,
  ): Promise<GitRepositoryDto[]> {
    const users = await this.users.findByIds(userIdsIn(rows), runner);
    return rows.map((row) => toGitRepositoryDto(row, users, this.environment));
  }
}
