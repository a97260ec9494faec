import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toAttachedFileDto } from '../attachments/attached-file.mapper';
import { attachedFiles } from '../attachments/data/attachment-link.repository';
import { groupBy } from '../database/group-by';
import { selectTogether } from '../database/select-together';
import { type EntityRunner } from '../database/statements';
import { NoResourceError, ServiceUnavailableError } from '../errors/domain-errors';
import { SettingsLookupService } from '../project-settings/settings-lookup.service';
import { toCategoryDto } from '../project-settings/category.mapper';
import { toIssueTypeDto } from '../project-settings/issue-type.mapper';
import { toStatusDto } from '../project-settings/status.mapper';
import { toVersionDto } from '../project-settings/version.mapper';
import { linkedFiles } from '../shared-files/data/shared-file-link.repository';
import { toSharedFileDto } from '../shared-files/shared-file.mapper';
import { toStarDto } from '../stars/star.mapper';
import { starsOfThreads } from '../stars/star-sql';
import { UsersService } from '../users/users.service';
import { type IssueDto } from './dto/issue.dto';
import { ISSUE_FILES } from './attachments/issue-files';
import { IssueCustomFieldsService } from './custom-fields/issue-custom-fields.service';
import { childCounts, IssueRepository, type IssueRow } from './data/issue.repository';
import { ISSUE_FIELDS } from './issue-fields';
import { toIssueDto } from './issue.mapper';
import { ISSUE_SHARED_FILES } from './shared-files/issue-shared-file-links';

const MAX_ATTEMPTS = 5;
const ISSUES_AT_ONCE = 50;

/** Options for reading issues. */
export interface ReadOptions {
  /** Adds `childIssueSummary`. */
  withChildren?: boolean;
  /** The transaction to read in; by default, reads the last committed state. */
  runner?: EntityRunner;
}

/** Reads issues in their response format. The number of queries does not depend on the number of issues. */
@Injectable()
export class IssueReaderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly issues: IssueRepository,
    private readonly settings: SettingsLookupService,
    private readonly users: UsersService,
    private readonly customFields: IssueCustomFieldsService,
  ) {}

  /**
   * Returns one issue.
   * @throws NoResourceError when it does not exist
   */
  async get(id: number, options?: ReadOptions): Promise<IssueDto> {
    const [issue] = await this.findByIds([id], options);
    if (!issue) throw new NoResourceError('issue');
    return issue;
  }

  /** Returns the issues that exist among these ids, in the order of the ids. */
  async findByIds(ids: readonly number[], options?: ReadOptions): Promise<IssueDto[]> {
    const read = await this.read((runner) => this.issues.findByIds(ids, runner), options);
    const issues = new Map(read.map(({ issue }) => [issue.id, issue]));
    return ids.flatMap((id) => issues.get(id) ?? []);
  }

  /** Returns the issues of threads, by thread id. */
  async findByThreadIds(threadIds: readonly number[]): Promise<Map<number, IssueDto>> {
    const read = await this.read((runner) => this.issues.findByThreadIds(threadIds, runner));
    return new Map(read.map(({ threadId, issue }) => [threadId, issue]));
  }

  /** Yields all issues of a project with their threads, in the order of their numbers. Reads a few at a time. */
  async *eachOfProject(projectId: number): AsyncGenerator<{ threadId: number; issue: IssueDto }> {
    for (let keyId = 1; ;) {
      const rows = await this.issues.findThreadsFrom(projectId, keyId, ISSUES_AT_ONCE);
      const last = rows.at(-1);
      if (!last) return;
      const issues = await this.findByThreadIds(rows.map(({ threadId }) => threadId));
      for (const { threadId } of rows) {
        const issue = issues.get(threadId);
        if (issue) yield { threadId, issue };
      }
      keyId = last.keyId + 1;
    }
  }

  /** Retries when an issue's type or status is deleted before it is looked up: the issue has a different one by then. */
  private async read(
    find: (runner: EntityRunner) => Promise<IssueRow[]>,
    { withChildren = false, runner = this.dataSource }: ReadOptions = {},
  ): Promise<{ threadId: number; issue: IssueDto }[]> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const rows = await find(runner);
      const issues = await this.toDtos(runner, rows, withChildren);
      if (issues) return rows.map(({ threadId }, index) => ({ threadId, issue: issues[index] as IssueDto }));
    }
    throw new ServiceUnavailableError();
  }

  /** Converts rows to responses; undefined when an issue's type or status no longer exists. */
  private async toDtos(
    runner: EntityRunner,
    rows: readonly IssueRow[],
    withChildren: boolean,
  ): Promise<IssueDto[] | undefined> {
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id);
    const found = await selectTogether(runner, {
      types: this.settings.selectIssueTypes(rows.map(({ issueTypeId }) => issueTypeId)),
      statuses: this.settings.selectStatuses(rows.map(({ statusId }) => statusId)),
      categories: this.settings.selectCategories(ISSUE_FIELDS.categoryIds, ids),
      versions: this.settings.selectVersions(ISSUE_FIELDS.versionIds, ids),
      milestones: this.settings.selectVersions(ISSUE_FIELDS.milestoneIds, ids),
      files: attachedFiles(ISSUE_FILES, ids),
      sharedFiles: linkedFiles(ISSUE_SHARED_FILES, ids),
      stars: starsOfThreads(rows.map(({ threadId }) => threadId)),
      children: withChildren ? childCounts(ids) : undefined,
      ...this.customFields.select(rows),
    });
    const issueTypes = new Map(found.types.map((type) => [type.id, toIssueTypeDto(type)]));
    const statuses = new Map(found.statuses.map((status) => [status.id, toStatusDto(status)]));
    if (!rows.every((row) => issueTypes.has(row.issueTypeId) && statuses.has(row.statusId))) return undefined;
    const users = await this.users.findByIds(
      [
        ...rows.flatMap(usersOf),
        ...found.files.map((file) => file.createdUserId),
        ...found.sharedFiles.flatMap((file) => [file.createdUserId, file.updatedUserId]),
        ...found.stars.map((star) => star.presenterId),
      ],
      runner,
    );
    const categories = groupBy(found.categories, ofIssue);
    const versions = groupBy(found.versions, ofIssue);
    const milestones = groupBy(found.milestones, ofIssue);
    const files = groupBy(found.files, ({ ownerId }) => ownerId);
    const sharedFiles = groupBy(found.sharedFiles, ({ ownerId }) => ownerId);
    const stars = groupBy(found.stars, ({ threadId }) => threadId);
    const children = new Map(found.children.map((counts) => [counts.parentIssueId, counts]));
    const customFields = this.customFields.show(rows, found);
    return rows.map((row) => {
      const { total = 0, closed = 0 } = children.get(row.id) ?? {};
      return toIssueDto(row, {
        issueTypes,
        statuses,
        users,
        category: (categories.get(row.id) ?? []).map(toCategoryDto),
        versions: (versions.get(row.id) ?? []).map(toVersionDto),
        milestone: (milestones.get(row.id) ?? []).map(toVersionDto),
        customFields: customFields.get(row.id) ?? [],
        attachments: (files.get(row.id) ?? []).map((file) => toAttachedFileDto(file, users)),
        sharedFiles: (sharedFiles.get(row.id) ?? []).map((file) => toSharedFileDto(file, users)),
        stars: (stars.get(row.threadId) ?? []).map((star) => toStarDto(star, users)),
        childIssueSummary: withChildren ? { total, closed } : undefined,
      });
    });
  }
}

const ofIssue = ({ issueId }: { issueId: number }): number => issueId;

const usersOf = ({ assigneeId, createdUserId, updatedUserId }: IssueRow): number[] =>
  assigneeId === null ? [createdUserId, updatedUserId] : [assigneeId, createdUserId, updatedUserId];
