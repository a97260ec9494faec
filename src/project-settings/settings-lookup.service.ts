import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type Select } from '../database/sql/select-together';
import { type StatementRunner } from '../database/sql/statements';
import { InvalidRequestError, type Problem } from '../errors/domain-errors';
import { toCategoryDto } from './category.mapper';
import { CategoryRepository, type CategoryRow } from './data/category.repository';
import { IssueTypeRepository } from './data/issue-type.repository';
import { type LinkedSetting, type SettingLink } from './data/setting.repository';
import { StatusRepository } from './data/status.repository';
import { VersionRepository, type VersionRow } from './data/version.repository';
import { type CategoryDto } from './dto/category.dto';
import { type IssueTypeDto } from './dto/issue-type.dto';
import { type StatusDto } from './dto/status.dto';
import { type VersionDto } from './dto/version.dto';
import { toIssueTypeDto } from './issue-type.mapper';
import { toStatusDto } from './status.mapper';
import { toVersionDto } from './version.mapper';

/** The settings of one project that a request body names, by wire id. */
export interface WantedSettings {
  issueTypeId?: number;
  statusId?: number;
  categoryId?: readonly number[];
  versionId?: readonly number[];
  milestoneId?: readonly number[];
}

/** The kinds of settings, with their names in messages. */
const NAMES = {
  issueTypes: 'issue types',
  statuses: 'statuses',
  categories: 'categories',
  versions: 'versions',
} as const;

type SettingKind = keyof typeof NAMES;

/** The settings of one kind that a field names, and those of them that the project has, by wire id. */
interface SettingLookup {
  field: string;
  kind: SettingKind;
  wanted: readonly number[];
  found: ReadonlySet<number>;
}

/** Finds the settings that issues and other resources reference by id. */
@Injectable()
export class SettingsLookupService {
  constructor(
    private readonly issueTypes: IssueTypeRepository,
    private readonly statuses: StatusRepository,
    private readonly categories: CategoryRepository,
    private readonly versions: VersionRepository,
  ) {}

  /** Returns issue types by id, in one query. */
  async issueTypesByIds(
    ids: readonly number[],
    runner?: StatementRunner,
  ): Promise<Map<number, IssueTypeDto>> {
    return mapById(await this.issueTypes.findByIds(ids, runner), toIssueTypeDto);
  }

  /** Returns statuses by row id, which is not the wire id, in one query. */
  async statusesByIds(rowIds: readonly number[], runner?: StatementRunner): Promise<Map<number, StatusDto>> {
    return mapById(await this.statuses.findByIds(rowIds, runner), toStatusDto);
  }

  /** Returns categories by id, in one query. */
  async categoriesByIds(ids: readonly number[], runner?: StatementRunner): Promise<Map<number, CategoryDto>> {
    return mapById(await this.categories.findByIds(ids, runner), toCategoryDto);
  }

  /** Returns versions by id, in one query. */
  async versionsByIds(ids: readonly number[], runner?: StatementRunner): Promise<Map<number, VersionDto>> {
    return mapById(await this.versions.findByIds(ids, runner), toVersionDto);
  }

  /** Selects the categories of issues, in their order. */
  selectCategories(link: SettingLink, issueIds: readonly number[]): Select<LinkedSetting<CategoryRow>> {
    return this.categories.selectOfIssues(link, issueIds);
  }

  /** Selects the versions or milestones of issues, in their order. */
  selectVersions(link: SettingLink, issueIds: readonly number[]): Select<LinkedSetting<VersionRow>> {
    return this.versions.selectOfIssues(link, issueIds);
  }

  /**
   * Checks the settings that a body names, and returns their row ids. The rows are kept until the transaction ends, so that
   * they can be referenced.
   * @throws InvalidRequestError for each field, with the ids that the project does not have
   */
  async resolve(
    manager: EntityManager,
    projectId: number,
    { issueTypeId, statusId, categoryId = [], versionId = [], milestoneId = [] }: WantedSettings,
  ): Promise<{ issueTypeId?: number; statusId?: number }> {
    const typeIds = issueTypeId === undefined ? [] : [issueTypeId];
    const types = await this.issueTypes.lockIds(manager, projectId, typeIds);
    const statusRowId =
      statusId === undefined ? undefined : await this.statuses.lockIdOfWireId(manager, projectId, statusId);
    const categories = await this.categories.lockIds(manager, projectId, categoryId);
    const versions = await this.versions.lockIds(manager, projectId, [...versionId, ...milestoneId]);
    const statusIds = statusId === undefined ? [] : [statusId];
    this.require(projectId, [
      { field: 'issueTypeId', kind: 'issueTypes', wanted: typeIds, found: types },
      {
        field: 'statusId',
        kind: 'statuses',
        wanted: statusIds,
        found: new Set(statusRowId === undefined ? [] : statusIds),
      },
      { field: 'categoryId', kind: 'categories', wanted: categoryId, found: categories },
      { field: 'versionId', kind: 'versions', wanted: versionId, found: versions },
      { field: 'milestoneId', kind: 'versions', wanted: milestoneId, found: versions },
    ]);
    return { issueTypeId, statusId: statusRowId };
  }

  /**
   * Checks issue types of a project that a body names. They are kept until the transaction ends.
   * @throws InvalidRequestError for the field when the project does not have all of them
   */
  async lockIssueTypes(
    manager: EntityManager,
    projectId: number,
    ids: readonly number[],
    field: string,
  ): Promise<void> {
    const types = await this.issueTypes.lockIds(manager, projectId, ids);
    this.require(projectId, [{ field, kind: 'issueTypes', wanted: ids, found: types }]);
  }

  /** Returns the row ids of the statuses with these wire ids in these projects, for filters. */
  statusRowIds(wireIds: readonly number[], projectIds: readonly number[] | 'all'): Promise<number[]> {
    return this.statuses.findIdsOfWireIds(wireIds, projectIds);
  }

  /** @throws InvalidRequestError for each field that names settings that the project does not have */
  private require(projectId: number, lookups: readonly SettingLookup[]): void {
    const problems: Problem[] = [];
    for (const { field, kind, wanted, found } of lookups) {
      const missing = wanted.filter((id) => !found.has(id));
      if (missing.length === 0) continue;
      const ids = missing.slice(0, 20).join(', ');
      problems.push({
        message: `These ${NAMES[kind]} are not in the project: ${ids}.`,
        moreInfo: field,
        readValidIds: (limit) => this[kind].findFirstWireIds(projectId, limit),
      });
    }
    if (problems.length > 0) throw new InvalidRequestError(problems);
  }
}

const mapById = <Row extends { id: number }, Dto>(
  rows: readonly Row[],
  toDto: (row: Row) => Dto,
): Map<number, Dto> => new Map(rows.map((row) => [row.id, toDto(row)]));
