import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toAttachedFileDto } from '../attachments/attached-file.mapper';
import { attachedFiles } from '../attachments/data/attachment-link.repository';
import { groupBy } from '../database/sql/group-by';
import { type RowsOf, type Select, selectTogether } from '../database/sql/select-together';
import { type EntityRunner } from '../database/sql/statements';
import { NoResourceError } from '../errors/domain-errors';
import { SettingsLookupService } from '../project-settings/settings-lookup.service';
import { toCategoryDto } from '../project-settings/category.mapper';
import { issueTypeOf, statusOf } from '../project-settings/data/setting-sql';
import { toVersionDto } from '../project-settings/version.mapper';
import { linkedFiles } from '../shared-files/data/shared-file-link.repository';
import { toSharedFileDto } from '../shared-files/shared-file.mapper';
import { toStarDto } from '../stars/star.mapper';
import { starsOfThreads } from '../stars/data/star-sql';
import { userIdsIn } from '../users/user-ids';
import { UsersService } from '../users/users.service';
import { builtAs, withAllUsers, type WithoutUsers } from '../users/without-users';
import { type IssueLineDto } from './dto/issue-line.dto';
import { type IssueDto } from './dto/issue.dto';
import { ISSUE_FILES } from './attachments/issue-files';
import { IssueCustomFieldsService } from './custom-fields/issue-custom-fields.service';
import { childCounts, IssueRepository, type IssueRow } from './data/issue.repository';
import { ISSUE_FIELDS } from './issue-fields';
import { type IssueParts, toIssueDto, toIssueLineDto } from './issue.mapper';
import { ISSUE_SHARED_FILES } from './shared-files/issue-shared-file-links';

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

  /** Returns the response of an issue whose row has been read. */
  async complete(row: IssueRow, withChildren: boolean): Promise<IssueDto> {
    const [issue] = await this.users.complete(await this.read(this.dataSource, [row], withChildren));
    return issue as IssueDto;
  }

  /** Returns the issues that exist among these ids, in the order of the ids. */
  async findByIds(
    ids: readonly number[],
    { withChildren = false, runner = this.dataSource }: ReadOptions = {},
  ): Promise<IssueDto[]> {
    const issues = await this.users.complete(await this.readByIds(ids, { withChildren, runner }), runner);
    return ids.flatMap((id) => issues.get(id) ?? []);
  }

  /** Returns what a list shows of the issues that exist among these ids, in the order of the ids. */
  async findLines(ids: readonly number[]): Promise<IssueLineDto[]> {
    const rows = await this.issues.findLines(ids);
    const users = await this.users.findByIds(userIdsIn(rows));
    const lines = new Map(rows.map((row) => [row.id, toIssueLineDto(row, users)]));
    return ids.flatMap((id) => lines.get(id) ?? []);
  }

  /** Reads the issues that exist among these ids, by id. */
  async readByIds(
    ids: readonly number[],
    { withChildren = false, runner = this.dataSource }: ReadOptions = {},
  ): Promise<WithoutUsers<Map<number, IssueDto>>> {
    const rows = await this.issues.findByIds(ids, runner);
    const read = await this.read(runner, rows, withChildren);
    return builtAs(read, (issues) => new Map(issues.map((issue) => [issue.id, issue])));
  }

  /** Reads the issues of threads, by thread id. */
  async readByThreadIds(threadIds: readonly number[]): Promise<WithoutUsers<Map<number, IssueDto>>> {
    const rows = await this.issues.findByThreadIds(threadIds);
    const read = await this.read(this.dataSource, rows, false);
    return builtAs(
      read,
      (issues) => new Map(rows.map(({ threadId }, index) => [threadId, issues[index] as IssueDto])),
    );
  }

  /** Yields all issues of a project with their threads, in the order of their numbers. Reads a few at a time. */
  async *eachOfProject(projectId: number): AsyncGenerator<{ threadId: number; issue: IssueDto }> {
    for (let keyId = 1; ;) {
      const rows = await this.issues.findThreadsFrom(projectId, keyId, ISSUES_AT_ONCE);
      const last = rows.at(-1);
      if (!last) return;
      const issues = await this.users.complete(
        await this.readByThreadIds(rows.map(({ threadId }) => threadId)),
      );
      for (const { threadId } of rows) {
        const issue = issues.get(threadId);
        if (issue) yield { threadId, issue };
      }
      keyId = last.keyId + 1;
    }
  }

  /** Reads the parts of issues that are not in their rows, in one statement. */
  private async read(
    runner: EntityRunner,
    rows: readonly IssueRow[],
    withChildren: boolean,
  ): Promise<WithoutUsers<IssueDto[]>> {
    if (rows.length === 0) return withAllUsers([]);
    const related = await selectTogether(runner, this.selectRelated(rows, withChildren));
    const partsOf = this.partsByIssue(rows, related, withChildren);
    return {
      userIds: userIdsIn(rows, related.files, related.sharedFiles, related.stars),
      build: (users) => rows.map((row) => toIssueDto(row, partsOf(row, users))),
    };
  }

  /** Returns the SELECTs of what the issues have, without those that would find nothing. */
  private selectRelated(rows: readonly IssueRow[], withChildren: boolean) {
    const ids = rows.map(({ id }) => id);
    const unlessNone = <Row>(link: keyof IssueRow, select: Select<Row>): Select<Row> | undefined =>
      rows.some((row) => row[link] !== 0) ? select : undefined;
    const { categoryIds, versionIds, milestoneIds } = ISSUE_FIELDS;
    return {
      categories: unlessNone('hasCategories', this.settings.selectCategories(categoryIds, ids)),
      versions: unlessNone('hasVersions', this.settings.selectVersions(versionIds, ids)),
      milestones: unlessNone('hasMilestones', this.settings.selectVersions(milestoneIds, ids)),
      files: unlessNone('hasFiles', attachedFiles(ISSUE_FILES, ids)),
      sharedFiles: unlessNone('hasSharedFiles', linkedFiles(ISSUE_SHARED_FILES, ids)),
      stars: unlessNone('hasStars', starsOfThreads(rows.map(({ threadId }) => threadId))),
      children: withChildren ? childCounts(ids) : undefined,
      ...this.customFields.select(rows),
    };
  }

  private partsByIssue(
    rows: readonly IssueRow[],
    related: RowsOf<ReturnType<IssueReaderService['selectRelated']>>,
    withChildren: boolean,
  ): (row: IssueRow, users: IssueParts['users']) => IssueParts {
    const issueTypes = mapValues(new Map(rows.map((row) => [row.issueTypeId, row.issueType])), issueTypeOf);
    const statuses = mapValues(new Map(rows.map((row) => [row.statusId, row.status])), statusOf);
    const categories = groupBy(related.categories, ofIssue);
    const versions = groupBy(related.versions, ofIssue);
    const milestones = groupBy(related.milestones, ofIssue);
    const files = groupBy(related.files, ({ ownerId }) => ownerId);
    const sharedFiles = groupBy(related.sharedFiles, ({ ownerId }) => ownerId);
    const stars = groupBy(related.stars, ({ threadId }) => threadId);
    const children = new Map(related.children.map(({ parentIssueId, ...counts }) => [parentIssueId, counts]));
    const customFields = this.customFields.show(rows, related);
    return (row, users) => ({
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
      childIssueSummary: withChildren ? { total: 0, closed: 0, ...children.get(row.id) } : undefined,
    });
  }
}

const mapValues = <From, To>(map: ReadonlyMap<number, From>, to: (value: From) => To): Map<number, To> =>
  new Map([...map].map(([id, value]) => [id, to(value)]));

const ofIssue = ({ issueId }: { issueId: number }): number => issueId;
