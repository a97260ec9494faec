import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AttachmentLinksService } from '../attachments/attachment-links.service';
import { StarsService } from '../comments/stars.service';
import { inList, type StatementRunner } from '../database/statements';
import { NoResourceError, ServiceUnavailableError } from '../errors/domain-errors';
import { SettingsLookupService } from '../project-settings/settings-lookup.service';
import { StandardStatus } from '../project-settings/standard-status';
import { UsersService } from '../users/users.service';
import { type ChildIssueSummaryDto, type IssueDto } from './dto/issue.dto';
import { ISSUE_FILES } from './attachments/issue-files';
import { findLists, type IssueLists } from './data/issue-links';
import { ISSUE_COLUMNS, type IssueRow, toIssueDto } from './issue.mapper';

const MAX_ATTEMPTS = 5;

/** How issues are to be read. */
export interface ReadOptions {
  /** Adds `childIssueSummary`. */
  withChildren?: boolean;
  /** The transaction that reads; the last committed state otherwise. */
  runner?: StatementRunner;
}

/** Issues as the wire shows them, with a number of queries that does not depend on that of the issues. */
@Injectable()
export class IssueReaderService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly settings: SettingsLookupService,
    private readonly users: UsersService,
    private readonly attachments: AttachmentLinksService,
    private readonly stars: StarsService,
  ) {}

  /**
   * One issue.
   * @throws NoResourceError when there is none
   */
  async get(id: number, options?: ReadOptions): Promise<IssueDto> {
    const [issue] = await this.findByIds([id], options);
    if (!issue) throw new NoResourceError('issue');
    return issue;
  }

  /** The issues that exist of those asked for, in that order. */
  async findByIds(ids: readonly number[], options?: ReadOptions): Promise<IssueDto[]> {
    const read = await this.read('i.id', ids, options);
    const issues = new Map(read.map(({ issue }) => [issue.id, issue]));
    return ids.flatMap((id) => issues.get(id) ?? []);
  }

  /** The issues of threads, by thread. */
  async findByThreadIds(threadIds: readonly number[]): Promise<Map<number, IssueDto>> {
    const read = await this.read('i.thread_id', threadIds);
    return new Map(read.map(({ threadId, issue }) => [threadId, issue]));
  }

  /**
   * Reads again when an issue names a type or a status that is gone by the time it is looked up: by then the issue has been
   * given another.
   */
  private async read(
    column: string,
    values: readonly number[],
    { withChildren = false, runner = this.dataSource }: ReadOptions = {},
  ): Promise<{ threadId: number; issue: IssueDto }[]> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const rows = await findRows(runner, column, values);
      const issues = await this.toDtos(runner, rows, withChildren);
      if (issues) return rows.map(({ threadId }, index) => ({ threadId, issue: issues[index] as IssueDto }));
    }
    throw new ServiceUnavailableError();
  }

  /** Undefined when something that a row cannot be without is gone. */
  private async toDtos(
    runner: StatementRunner,
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
    const lists = await findLists(runner, ids);
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
    const stars = await this.stars.listByThreads(
      rows.map((row) => row.threadId),
      runner,
    );
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
        attachments: attachments.get(row.id) ?? [],
        stars: stars.get(row.threadId) ?? [],
        childIssueSummary: summaries && (summaries.get(row.id) ?? { total: 0, closed: 0 }),
      });
    });
  }

  /** How many children issues have, by the parent's id, in two queries. */
  private async summarizeChildren(rows: readonly IssueRow[]): Promise<Map<number, ChildIssueSummaryDto>> {
    const closed = inList(
      await this.settings.statusRowIds(
        [StandardStatus.Closed],
        [...new Set(rows.map((row) => row.projectId))],
      ),
    );
    const parents = inList(rows.map((row) => row.id));
    const counts = await this.dataSource.query<
      { parentId: number; total: number | string; closed: number | string }[]
    >(
      `SELECT parent_issue_id AS parentId, COUNT(*) AS total,
              SUM(CASE WHEN status_id ${closed.sql} THEN 1 ELSE 0 END) AS closed
         FROM issue WHERE parent_issue_id ${parents.sql} GROUP BY parent_issue_id`,
      [...closed.parameters, ...parents.parameters],
    );
    return new Map(
      counts.map((count) => [count.parentId, { total: Number(count.total), closed: Number(count.closed) }]),
    );
  }
}

async function findRows(
  runner: StatementRunner,
  column: string,
  values: readonly number[],
): Promise<IssueRow[]> {
  if (values.length === 0) return [];
  const list = inList([...new Set(values)]);
  return runner.query<IssueRow[]>(
    `SELECT ${ISSUE_COLUMNS} FROM issue i JOIN project p ON p.id = i.project_id WHERE ${column} ${list.sql}`,
    list.parameters,
  );
}

const usersOf = ({ assigneeId, createdUserId, updatedUserId }: IssueRow): number[] =>
  assigneeId === null ? [createdUserId, updatedUserId] : [assigneeId, createdUserId, updatedUserId];

/** What exists of a list, as its project orders it; what has just been removed is not in it. */
const pick = <Item extends { id: number; displayOrder: number }>(
  items: ReadonlyMap<number, Item>,
  ids: readonly number[],
): Item[] =>
  ids
    .flatMap((id) => items.get(id) ?? [])
    .sort((one, other) => one.displayOrder - other.displayOrder || one.id - other.id);
