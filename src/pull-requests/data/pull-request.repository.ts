import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { Conditions } from '../../database/sql/conditions';
import { invalidIfDeleted } from '../../database/connections/database-errors';
import { countRows, offsetPage } from '../../database/sql/list-page';
import { insertRow, selectRow, selectRows, updateRow } from '../../database/sql/rows';
import { columnsOf, forWrite, inList, lockRow } from '../../database/sql/statements';
import { NoResourceError } from '../../errors/domain-errors';
import { joinRepository } from '../../git-repositories/data/join-repository';
import { type Page } from '../../paging/page';
import { isVisible, VISIBILITY_COLUMNS, type VisibilityRow } from '../../projects/visibility';
import { type ListPullRequestsQuery, type PullRequestFilter } from '../dto/pull-request-queries.dto';
import { PullRequest } from '../entities/pull-request.entity';
import { PullRequestStatus } from '../pull-request-status';

const COLUMNS = [
  'id',
  'projectId',
  'repositoryId',
  'number',
  'threadId',
  'summary',
  'description',
  'base',
  'branch',
  'statusId',
  'assigneeId',
  'issueId',
  'closeAt',
  'mergeAt',
  'baseCommit',
  'branchCommit',
  'mergeCommit',
  'createdUserId',
  'created',
  'updatedUserId',
  'updated',
] as const satisfies readonly (keyof PullRequest)[];

/** A pull request's own columns. */
export type PullRequestRow = Pick<PullRequest, (typeof COLUMNS)[number]>;

/** The columns of an open pull request that a push needs. */
export type OpenPullRequest = Pick<
  PullRequest,
  'id' | 'projectId' | 'number' | 'base' | 'branch' | 'baseCommit' | 'branchCommit'
>;

/** The ids of a pull request and its thread. */
export type PullRequestKeys = Pick<PullRequest, 'id' | 'threadId'>;

/** The columns that determine the contents of a pull request. */
export type PullRequestCommits = Pick<
  PullRequest,
  'repositoryId' | 'number' | 'base' | 'branch' | 'statusId' | 'baseCommit' | 'branchCommit' | 'mergeCommit'
>;

const COMMIT_COLUMNS = [
  'repositoryId',
  'number',
  'base',
  'branch',
  'statusId',
  'baseCommit',
  'branchCommit',
  'mergeCommit',
] as const satisfies readonly (keyof PullRequest)[];

/** The parts of a path that identify a pull request. A number for a project or a git repository is its id. */
export interface PullRequestPath {
  project: number | string;
  repository: number | string;
  number: number;
}

/** A pull request found by its path. */
export interface PullRequestOfPath extends PullRequestKeys {
  projectId: number;
  isProjectAdministrator: boolean;
}

/** The summary of a pull request, with the parts of its address. */
export interface PullRequestTitle extends Pick<
  PullRequest,
  'threadId' | 'projectId' | 'number' | 'summary' | 'createdUserId'
> {
  repositoryName: string;
  projectKey: string;
}

interface PullRequestOfPathRow extends VisibilityRow, PullRequestKeys {
  projectId: number;
  projectKey: string;
  repositoryName: string;
}

/** Rows of pull requests. */
@Injectable()
export class PullRequestRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the pull requests with these ids, in no particular order. */
  findByIds(ids: readonly number[]): Promise<PullRequestRow[]> {
    return this.findWhereIn('id', ids);
  }

  /**
   * Returns a pull request's own columns.
   * @throws NoResourceError when it has been removed
   */
  async get(id: number): Promise<PullRequestRow> {
    const [row] = await this.findByIds([id]);
    if (!row) throw new NoResourceError('pull request');
    return row;
  }

  /** Returns the newest open pull requests of a git repository that have one of these branches, in one query. */
  findOpenOfBranches(
    repositoryId: number,
    branches: readonly string[],
    limit: number,
  ): Promise<OpenPullRequest[]> {
    const { sql, parameters } = inList(branches);
    return selectRows(
      this.dataSource,
      PullRequest,
      ['id', 'projectId', 'number', 'base', 'branch', 'baseCommit', 'branchCommit'],
      `WHERE repository_id = ? AND status_id = ? AND (base ${sql} OR branch ${sql})
        ORDER BY number DESC LIMIT ${limit}`,
      [repositoryId, PullRequestStatus.Open, ...parameters, ...parameters],
    );
  }

  /** Sets the head of a branch in all open pull requests of a git repository that have it. */
  async updateBranchCommit(
    manager: EntityManager,
    repositoryId: number,
    { branch, commit }: { branch: string; commit: string },
  ): Promise<void> {
    for (const column of ['base', 'branch']) {
      await manager.query(
        `UPDATE pull_request SET ${column}_commit = ? WHERE repository_id = ? AND status_id = ? AND ${column} = ?`,
        [commit, repositoryId, PullRequestStatus.Open, branch],
      );
    }
  }

  /** Sets the head of one branch of an open pull request, unless it has changed in the meantime. */
  async replaceCommit(
    manager: EntityManager,
    id: number,
    { field, from, to }: { field: 'base' | 'branch'; from: string; to: string },
  ): Promise<void> {
    await manager.query(
      `UPDATE pull_request SET ${field}_commit = ? WHERE id = ? AND status_id = ? AND ${field}_commit = ?`,
      [to, id, PullRequestStatus.Open, from],
    );
  }

  /** Returns the columns that determine the contents of a pull request. */
  async findCommits(id: number): Promise<PullRequestCommits | undefined> {
    const [row] = await selectRows(this.dataSource, PullRequest, COMMIT_COLUMNS, 'WHERE id = ?', [id]);
    return row;
  }

  /** Returns the pull requests of these threads, in no particular order. */
  findByThreadIds(threadIds: readonly number[]): Promise<PullRequestRow[]> {
    return this.findWhereIn('thread_id', threadIds);
  }

  /** Returns one page of the ids of a git repository's pull requests, ordered by number. */
  findIds(repositoryId: number, query: ListPullRequestsQuery): Promise<Page<{ id: number }>> {
    // Selects only ids, which the index on the numbers contains: the rows that the page skips are not read.
    const source = {
      select: 'q.id AS id',
      from: 'pull_request q',
      conditions: conditionsOf(repositoryId, query),
    };
    const orderBy = `q.number ${query.order === 'asc' ? 'ASC' : 'DESC'}`;
    return offsetPage(this.dataSource, source, query, orderBy);
  }

  /** Returns the threads of a git repository's pull requests from a number on, in the order of the numbers, in one query. */
  findThreadsFrom(
    repositoryId: number,
    number: number,
    limit: number,
  ): Promise<Pick<PullRequest, 'number' | 'threadId'>[]> {
    return selectRows(
      this.dataSource,
      PullRequest,
      ['number', 'threadId'],
      `WHERE repository_id = ? AND number >= ? ORDER BY number LIMIT ${limit}`,
      [repositoryId, number],
    );
  }

  count(repositoryId: number, filter: PullRequestFilter): Promise<number> {
    const conditions = conditionsOf(repositoryId, filter);
    return countRows(this.dataSource, { from: 'pull_request q', conditions });
  }

  /** Returns the pull request of a path, if the caller may see its project, in one query. */
  async findVisible(
    caller: Caller,
    { project, repository, number }: PullRequestPath,
  ): Promise<PullRequestOfPath | undefined> {
    const projectColumn = typeof project === 'number' ? 'p.id' : 'p.project_key';
    const repositoryColumn = typeof repository === 'number' ? 'r.id' : 'r.name';
    const [row] = await this.dataSource.query<PullRequestOfPathRow[]>(
      `SELECT q.id AS id, q.project_id AS projectId, q.thread_id AS threadId, p.project_key AS projectKey,
              r.name AS repositoryName, ${VISIBILITY_COLUMNS}
         FROM pull_request q ${joinRepository('q.repository_id')}
        WHERE ${projectColumn} = ? AND ${repositoryColumn} = ? AND q.number = ?`,
      [caller.id, project, repository, number],
    );
    // Databases compare texts more loosely: some ignore trailing spaces, or everything after a NUL.
    const isExact =
      row &&
      (typeof project === 'number' || row.projectKey === project) &&
      (typeof repository === 'number' || row.repositoryName === repository);
    if (!isExact || !isVisible(row, caller)) return undefined;
    const { id, projectId, threadId, projectAdministrator } = row;
    return { id, projectId, threadId, isProjectAdministrator: Boolean(projectAdministrator) };
  }

  /** Returns the title of a pull request, if the caller may see its project, in one query. */
  findVisibleTitle(caller: Caller, id: number): Promise<PullRequestTitle | undefined> {
    return this.findVisibleTitleWhere(caller, 'q.id = ?', id);
  }

  findVisibleTitleByThread(caller: Caller, threadId: number): Promise<PullRequestTitle | undefined> {
    return this.findVisibleTitleWhere(caller, 'q.thread_id = ?', threadId);
  }

  /**
   * Locks a pull request until the transaction ends and returns its current state. It must be the transaction's first read.
   * @throws NoResourceError when it has been removed
   */
  async lock(manager: EntityManager, id: number): Promise<PullRequestRow> {
    await lockRow(manager, 'pull_request', id);
    const [row] = await manager.query<PullRequestRow[]>(
      `SELECT ${columnsOf('q', COLUMNS)} FROM pull_request q WHERE q.id = ?`,
      [id],
    );
    if (!row) throw new NoResourceError('pull request');
    return row;
  }

  /** Locks a pull request until the transaction ends. @returns whether it is still open and has these branches */
  async lockIfOpen(
    manager: EntityManager,
    id: number,
    { base, branch }: Pick<PullRequest, 'base' | 'branch'>,
  ): Promise<boolean> {
    if (!(await lockRow(manager, 'pull_request', id))) return false;
    const row = await selectRow(manager, PullRequest, ['statusId', 'base', 'branch'], 'WHERE id = ?', [id]);
    return row?.statusId === PullRequestStatus.Open && row.base === base && row.branch === branch;
  }

  /** Locks some pull requests of a project against additions until the transaction ends. */
  lockSomeOfProject(manager: EntityManager, projectId: number, limit: number): Promise<PullRequestKeys[]> {
    return lockSome(manager, 'project_id', projectId, limit);
  }

  /** Locks some pull requests of a git repository against additions until the transaction ends. */
  lockSomeOfRepository(
    manager: EntityManager,
    repositoryId: number,
    limit: number,
  ): Promise<PullRequestKeys[]> {
    return lockSome(manager, 'repository_id', repositoryId, limit);
  }

  /** @throws InvalidRequestError when the issue has just been removed */
  insert(manager: EntityManager, pullRequest: Partial<PullRequest>): Promise<number> {
    return invalidIfIssueDeleted(insertRow(manager, PullRequest, pullRequest));
  }

  /** @throws InvalidRequestError when the issue has just been removed */
  update(manager: EntityManager, id: number, changes: Partial<PullRequest>): Promise<void> {
    return invalidIfIssueDeleted(updateRow(manager, PullRequest, id, changes));
  }

  async delete(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM pull_request WHERE id ${list.sql}`, list.parameters);
  }

  private findWhereIn(column: 'id' | 'thread_id', values: readonly number[]): Promise<PullRequestRow[]> {
    if (values.length === 0) return Promise.resolve([]);
    const { sql, parameters } = inList(values);
    return selectRows(this.dataSource, PullRequest, COLUMNS, `WHERE ${column} ${sql}`, parameters);
  }

  private async findVisibleTitleWhere(
    caller: Caller,
    condition: string,
    value: number,
  ): Promise<PullRequestTitle | undefined> {
    const [row] = await this.dataSource.query<(PullRequestTitle & VisibilityRow)[]>(
      `SELECT ${columnsOf('q', ['threadId', 'projectId', 'number', 'summary', 'createdUserId'])}, r.name AS repositoryName,
              p.project_key AS projectKey, ${VISIBILITY_COLUMNS}
         FROM pull_request q ${joinRepository('q.repository_id')} WHERE ${condition}`,
      [caller.id, value],
    );
    return row && isVisible(row, caller) ? row : undefined;
  }
}

const conditionsOf = (repositoryId: number, filter: PullRequestFilter): Conditions =>
  new Conditions()
    .add('q.repository_id = ?', repositoryId)
    .inIfAny('q.status_id', filter.statusId)
    .inIfAny('q.assignee_id', filter.assigneeId)
    .inIfAny('q.issue_id', filter.issueId)
    .inIfAny('q.created_user_id', filter.createdUserId);

const lockSome = (
  manager: EntityManager,
  column: 'project_id' | 'repository_id',
  value: number,
  limit: number,
): Promise<PullRequestKeys[]> =>
  selectRows(
    manager,
    PullRequest,
    ['id', 'threadId'],
    `WHERE ${column} = ? LIMIT ${limit}${forWrite(manager)}`,
    [value],
  );

const invalidIfIssueDeleted = <T>(statement: Promise<T>): Promise<T> =>
  invalidIfDeleted(statement, 'issueId', 'The issue was removed concurrently.');
