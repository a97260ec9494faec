import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { type EntityRunner } from '../database/statements';
import { NoResourceError, ServiceUnavailableError } from '../errors/domain-errors';
import { SettingsLookupService } from '../project-settings/settings-lookup.service';
import { StandardStatus } from '../project-settings/standard-status';
import { SharedFileLinksService } from '../shared-files/shared-file-links.service';
import { StarsService } from '../stars/stars.service';
import { UsersService } from '../users/users.service';
import { type ChildIssueSummaryDto, type IssueDto } from './dto/issue.dto';
import { ISSUE_FILES } from './attachments/issue-files';
import { IssueCustomFieldsService } from './custom-fields/issue-custom-fields.service';
import { IssueListsRepository } from './data/issue-lists.repository';
import { IssueRepository, type IssueRow } from './data/issue.repository';
import { type IssueLists } from './issue-fields';
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
    private readonly lists: IssueListsRepository,
    private readonly settings: SettingsLookupService,
    private readonly users: UsersService,
    private readonly attachments: AttachmentLinksService,
    private readonly sharedFiles: SharedFileLinksService,
    private readonly stars: StarsService,
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
    const issueTypes = await this.settings.issueTypesByIds(
      rows.map((row) => row.issueTypeId),
      runner,
    );
    const statuses = await this.settings.statusesByIds(
      rows.map((row) => row.statusId),
      runner,
    );
    if (!rows.every((row) => issueTypes.has(row.issueTypeId) && statuses.has(row.statusId))) return undefined;
    const ids = rows.map((row) => row.id);
    const lists = await this.lists.findByIssueIds(ids, runner);
    const all = [...lists.values()];
    const categories = await this.settings.categoriesByIds(
      all.flatMap((one) => one.categoryIds),
      runner,
    );
    const versions = await this.settings.versionsByIds(
      all.flatMap((one) => [...one.versionIds, ...one.milestoneIds]),
      runner,
    );
    const users = await this.users.findByIds(rows.flatMap(usersOf), runner);
    const attachments = await this.attachments.listByOwners(ISSUE_FILES, ids, runner);
    const sharedFiles = await this.sharedFiles.listByOwners(
      ISSUE_SHARED_FILES,
      rows.filter((row) => row.hasSharedFiles).map((row) => row.id),
      runner,
    );
    const stars = await this.stars.listByThreads(
      rows.map((row) => row.threadId),
      runner,
    );
    const customFields = await this.customFields.show(rows, runner);
    const summaries = withChildren ? await this.summarizeChildren(rows) : undefined;
    return rows.map((row) => {
      const { categoryIds, versionIds, milestoneIds } = lists.get(row.id) as IssueLists;
      return toIssueDto(row, {
        issueTypes,
        statuses,
        users,
        category: pick(categories, categoryIds),
        versions: pick(versions, versionIds),
        milestone: pick(versions, milestoneIds),
        customFields: customFields.get(row.id) ?? [],
        attachments: attachments.get(row.id) ?? [],
        sharedFiles: sharedFiles.get(row.id) ?? [],
        stars: stars.get(row.threadId) ?? [],
        childIssueSummary: summaries && (summaries.get(row.id) ?? { total: 0, closed: 0 }),
      });
    });
  }

  /** Returns the numbers of the issues' children by parent id, in two queries. */
  private async summarizeChildren(rows: readonly IssueRow[]): Promise<Map<number, ChildIssueSummaryDto>> {
    const projectIds = [...new Set(rows.map((row) => row.projectId))];
    const closedStatusIds = await this.settings.statusRowIds([StandardStatus.Closed], projectIds);
    return this.issues.countChildren(
      rows.map((row) => row.id),
      closedStatusIds,
    );
  }
}

const usersOf = ({ assigneeId, createdUserId, updatedUserId }: IssueRow): number[] =>
  assigneeId === null ? [createdUserId, updatedUserId] : [assigneeId, createdUserId, updatedUserId];

/** Returns the items of a list that still exist, in the order of the project. */
const pick = <Item extends { id: number; displayOrder: number }>(
  items: ReadonlyMap<number, Item>,
  ids: readonly number[],
): Item[] =>
  ids
    .flatMap((id) => items.get(id) ?? [])
    .sort((one, other) => one.displayOrder - other.displayOrder || one.id - other.id);
