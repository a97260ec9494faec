import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { columnsOf, inList, type StatementRunner } from '../../database/sql/statements';
import { type Caller } from '../../access/caller';
import { PROJECT_KEY_COLUMN } from '../../projects/data/project-key-sql';
import { type ProjectResource } from '../../projects/project-resource';
import { findVisible } from '../../projects/data/visible-rows';
import { visibleProjectIds } from '../../projects/visibility';
import { type Issue } from '../entities/issue.entity';
import { hydrateIssues, issueColumns, type IssueRow, ISSUES, LINK_COLUMNS } from './issue.repository';

/** Address of an issue: its id, the id of its thread, or its key. */
export type IssueAddress = { id: number } | { threadId: number } | { projectKey: string; keyId: number };

/** An issue in a project that the caller can see. */
export interface VisibleIssue extends ProjectResource, Pick<Issue, 'keyId' | 'threadId'> {}

/** A visible issue with its texts and the key of its project. */
export interface DescribedIssue extends VisibleIssue, Pick<Issue, 'summary' | 'description'> {
  projectKey: string;
  /** Whether the issue has watchers, who may have to be notified of changes. */
  isWatched: boolean | number;
}

/** A visible issue with everything in its row. */
export type WholeIssue = VisibleIssue & IssueRow;

const VISIBLE_KEYS = ['id', 'projectId', 'keyId', 'threadId'] as const satisfies readonly (keyof Issue)[];
const REFERENCE_KEYS = [
  ...VISIBLE_KEYS,
  'summary',
  'description',
] as const satisfies readonly (keyof Issue)[];

/** The fields that identify an issue to people. */
export type IssueTitle = Pick<
  DescribedIssue & Issue,
  'threadId' | 'projectId' | 'keyId' | 'summary' | 'projectKey' | 'createdUserId'
>;

/** The fields that other resources show of an issue. */
export type IssueReference = Pick<Issue, (typeof REFERENCE_KEYS)[number]>;

const VISIBLE_COLUMNS = columnsOf('i', VISIBLE_KEYS);
const REFERENCE_COLUMNS = columnsOf('i', REFERENCE_KEYS);
const TITLE_COLUMNS = `${columnsOf('i', ['threadId', 'projectId', 'keyId', 'summary', 'createdUserId'])}, ${PROJECT_KEY_COLUMN}`;
const DESCRIBED_COLUMNS = `${REFERENCE_COLUMNS},
    ${PROJECT_KEY_COLUMN}, EXISTS (SELECT 1 FROM watching w WHERE w.issue_id = i.id) AS isWatched`;

/** Looks up single issues, and checks in the same query whether the caller can see them. */
@Injectable()
export class IssueLookupRepository {
  constructor(private readonly dataSource: DataSource) {}

  findVisible(caller: Caller, address: IssueAddress): Promise<VisibleIssue | undefined> {
    return this.find(caller, VISIBLE_COLUMNS, conditionOn(address));
  }

  /** Finds an issue like `findVisible`, with its texts and the key of its project. */
  findDescribed(caller: Caller, address: IssueAddress): Promise<DescribedIssue | undefined> {
    return this.find(caller, DESCRIBED_COLUMNS, conditionOn(address));
  }

  /** Finds an issue with its row. */
  async findWhole(caller: Caller, address: IssueAddress): Promise<WholeIssue | undefined> {
    const columns = `${issueColumns(this.dataSource)}, ${LINK_COLUMNS}`;
    const found = await this.find<IssueRow>(caller, columns, conditionOn(address), ISSUES);
    return found && (await hydrateIssues(this.dataSource, [found]))[0];
  }

  findTitle(caller: Caller, address: IssueAddress): Promise<IssueTitle | undefined> {
    return this.find(caller, TITLE_COLUMNS, conditionOn(address));
  }

  findVisibleInProject(caller: Caller, projectId: number, id: number): Promise<IssueReference | undefined> {
    return this.find(caller, REFERENCE_COLUMNS, {
      where: 'i.id = ? AND i.project_id = ?',
      parameters: [id, projectId],
    });
  }

  /** Returns up to `limit` ids of issues of a project, if the caller can see it. */
  async findFirstVisibleIds(caller: Caller, projectId: number, limit: number): Promise<number[]> {
    const visible = visibleProjectIds(caller);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT i.id AS id FROM issue i WHERE i.project_id = ? AND i.project_id IN (${visible.sql}) LIMIT ${limit}`,
      [projectId, ...visible.parameters],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Returns the ids of the issues that exist and that the caller can see. The plus sign disables an index on projects, with which SQLite
   * would read all issues.
   */
  async findVisibleIds(caller: Caller, ids: readonly number[]): Promise<number[]> {
    const list = inList(ids);
    const visible = visibleProjectIds(caller);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT i.id AS id FROM issue i WHERE i.id ${list.sql} AND +i.project_id IN (${visible.sql})`,
      [...list.parameters, ...visible.parameters],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns issues with their texts, regardless of who can see them. */
  async findReferences(
    ids: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<IssueReference[]> {
    if (ids.length === 0) return [];
    const list = inList(ids);
    return runner.query(`SELECT ${REFERENCE_COLUMNS} FROM issue i WHERE i.id ${list.sql}`, list.parameters);
  }

  private find<Row extends object>(
    caller: Caller,
    select: string,
    condition: Condition,
    from = 'issue i',
  ): Promise<(Row & Pick<ProjectResource, 'isProjectAdministrator'>) | undefined> {
    return findVisible<Row>(this.dataSource, caller, {
      select,
      from,
      projectId: 'i.project_id',
      ...condition,
    });
  }
}

interface Condition {
  where: string;
  parameters: readonly unknown[];
}

function conditionOn(address: IssueAddress): Condition {
  if ('id' in address) return { where: 'i.id = ?', parameters: [address.id] };
  if ('threadId' in address) return { where: 'i.thread_id = ?', parameters: [address.threadId] };
  return {
    where: 'p.project_key = ? AND i.key_id = ?',
    parameters: [address.projectKey, address.keyId],
  };
}
