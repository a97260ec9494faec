import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../database/conditions';
import { inList, selectForShare, type StatementRunner } from '../database/statements';
import { InvalidRequestError, type Problem } from '../errors/domain-errors';
import { CATEGORIES } from './category.mapper';
import { type CategoryDto } from './dto/category.dto';
import { type IssueTypeDto } from './dto/issue-type.dto';
import { type StatusDto } from './dto/status.dto';
import { type VersionDto } from './dto/version.dto';
import { ISSUE_TYPES } from './issue-type.mapper';
import { mapByIds } from './setting-kind';
import { STATUSES } from './status.mapper';
import { wireIdOf } from './status-wire-id';
import { VERSIONS } from './version.mapper';

/** What the body of a request names of one project's settings, as the wire has it. */
export interface WantedSettings {
  issueTypeId?: number;
  statusId?: number;
  categoryId?: readonly number[];
  versionId?: readonly number[];
  milestoneId?: readonly number[];
}

/** What else names a project's settings by their ids, such as issues, finds them here. */
@Injectable()
export class SettingsLookupService {
  constructor(private readonly dataSource: DataSource) {}

  /** Issue types by id, in one query. */
  issueTypesByIds(
    ids: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, IssueTypeDto>> {
    return mapByIds(runner, ISSUE_TYPES, ids);
  }

  /** Statuses by the ids of their rows, which are not those of the wire, in one query. */
  statusesByIds(
    rowIds: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, StatusDto>> {
    return mapByIds(runner, STATUSES, rowIds);
  }

  /** Categories by id, in one query. */
  categoriesByIds(
    ids: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, CategoryDto>> {
    return mapByIds(runner, CATEGORIES, ids);
  }

  /** Versions by id, in one query. */
  versionsByIds(
    ids: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, VersionDto>> {
    return mapByIds(runner, VERSIONS, ids);
  }

  /**
   * Checks what a body names of one project's settings, and gives the ids of the rows. They stay until the transaction ends:
   * nobody removes what is about to be named.
   * @throws InvalidRequestError naming each field and its ids that the project does not have
   */
  async resolve(
    manager: EntityManager,
    projectId: number,
    { issueTypeId, statusId, categoryId = [], versionId = [], milestoneId = [] }: WantedSettings,
  ): Promise<{ issueTypeId?: number; statusId?: number }> {
    const typeIds = issueTypeId === undefined ? [] : [issueTypeId];
    const types = await hold(manager, 'issue_type', projectId, typeIds);
    const statusRowId = statusId === undefined ? undefined : await holdStatus(manager, projectId, statusId);
    const categories = await hold(manager, 'category', projectId, categoryId);
    const versions = await hold(manager, 'version', projectId, [...versionId, ...milestoneId]);
    const problems = [
      ...missing('issueTypeId', 'issue types', typeIds, types),
      ...(statusRowId === undefined && statusId !== undefined
        ? missing('statusId', 'statuses', [statusId], new Set())
        : []),
      ...missing('categoryId', 'categories', categoryId, categories),
      ...missing('versionId', 'versions', versionId, versions),
      ...missing('milestoneId', 'versions', milestoneId, versions),
    ];
    if (problems.length > 0) throw new InvalidRequestError(problems);
    return { issueTypeId, statusId: statusRowId };
  }

  /** Ids of the rows that the wire's ids of statuses stand for in these projects, for filters. */
  async statusRowIds(wireIds: readonly number[], projectIds: readonly number[] | 'all'): Promise<number[]> {
    const conditions = new Conditions().in(wireIdOf('s'), wireIds);
    if (projectIds !== 'all') conditions.in('s.project_id', projectIds);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT s.id AS id FROM issue_status s ${conditions.where}`,
      conditions.parameters,
    );
    return rows.map(({ id }) => id);
  }
}

/** Those of the ids that are the project's; their rows stay until the transaction ends. */
async function hold(
  manager: EntityManager,
  table: 'issue_type' | 'category' | 'version',
  projectId: number,
  ids: readonly number[],
): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const list = inList([...new Set(ids)]);
  const rows = await selectForShare<{ id: number; projectId: number }>(
    manager,
    `SELECT id, project_id AS projectId FROM ${table} WHERE id ${list.sql}`,
    list.parameters,
  );
  return new Set(rows.filter((row) => row.projectId === projectId).map(({ id }) => id));
}

async function holdStatus(
  manager: EntityManager,
  projectId: number,
  wireId: number,
): Promise<number | undefined> {
  const [row] = await selectForShare<{ id: number }>(
    manager,
    `SELECT s.id AS id FROM issue_status s WHERE s.project_id = ? AND ${wireIdOf('s')} = ?`,
    [projectId, wireId],
  );
  return row?.id;
}

function missing(
  field: string,
  what: string,
  wanted: readonly number[],
  found: ReadonlySet<number>,
): Problem[] {
  const ids = wanted.filter((id) => !found.has(id));
  return ids.length === 0
    ? []
    : [
        {
          message: `These ${what} are not in the project: ${ids.slice(0, 20).join(', ')}.`,
          moreInfo: field,
        },
      ];
}
