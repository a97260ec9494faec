import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { pastChangeOf } from '../../access/past-change';
import { hasCustomFields } from '../../custom-fields/data/custom-field-sql';
import { eachInTurns } from '../../database/sql/in-turns';
import {
  entityColumns,
  hydrateRows,
  insertRow,
  selectRow,
  selectRows,
  updateRow,
} from '../../database/sql/rows';
import { changeInSlices } from '../../database/sql/slices';
import { packedColumns, type Select, unpacker } from '../../database/sql/select-together';
import {
  affectedRows,
  type EntityRunner,
  forWrite,
  inList,
  lockRow,
  lockRows,
  quoted,
  type StatementRunner,
  toColumnName,
} from '../../database/sql/statements';
import {
  JOIN_TYPE_AND_STATUS,
  joinStandardStatus,
  PACKED_ISSUE_TYPE,
  PACKED_STATUS,
  TYPE_AND_STATUS_COLUMNS,
} from '../../project-settings/data/setting-sql';
import { StandardStatus } from '../../project-settings/standard-status';
import { joinProjectKey, PROJECT_KEY_COLUMN } from '../../projects/data/project-key-sql';
import { STARS } from '../../stars/data/star-sql';
import { Issue } from '../entities/issue.entity';
import {
  changedRowState,
  type IssueLists,
  type IssueState,
  ROW_FIELDS,
  type RowField,
  type RowState,
  rowStateOf,
  FIXED_FIELDS,
  type FixedField,
} from '../issue-fields';
import { IssueListsRepository } from './issue-lists.repository';

/** With the watchings of as many issues, a slice occupies the event loop for a few milliseconds. */
const REPLACED_AT_ONCE = 100;

/** An issue's row with its type and status, and the fields read from its project. */
export type IssueRow = Pick<Issue, FixedField | RowField> & {
  projectKey: string;
  /** 1 when the project has custom fields, else 0. */
  hasCustomFields: number;
  /** For `issueTypeOf` and `statusOf`. */
  issueType: unknown;
  status: unknown;
} & Partial<Record<keyof typeof LINKS, number>>;

/** Whether an issue has rows in other tables: columns that only a single issue is read with, 1 or 0. */
const LINKS = {
  hasCategories: 'issue_category o WHERE o.issue_id = i.id',
  hasVersions: 'issue_version o WHERE o.issue_id = i.id',
  hasMilestones: 'issue_milestone o WHERE o.issue_id = i.id',
  hasFiles: 'issue_attachment o WHERE o.issue_id = i.id',
  hasSharedFiles: 'issue_shared_file o WHERE o.issue_id = i.id',
  hasStars: `${STARS} WHERE s.thread_id = i.thread_id`,
};

export const LINK_COLUMNS = Object.entries(LINKS)
  .map(([name, rows]) => `EXISTS (SELECT 1 FROM ${rows}) AS ${name}`)
  .join(', ');

/** The numbers of an issue's children. */
export interface ChildCounts {
  parentIssueId: number;
  total: number;
  closed: number;
}

/** What a list shows of an issue, without its long texts; the name of its status is `statusName`. */
export type IssueLine = Pick<Issue, (typeof LINE_KEYS)[number]> & { projectKey: string; statusName: string };

const LINE_KEYS = [
  'id',
  'projectId',
  'keyId',
  'summary',
  'assigneeId',
  'updated',
] as const satisfies readonly (keyof Issue)[];

/** The last edit of an issue: its user and time. */
export type IssueEdit = Pick<Issue, 'updatedUserId' | 'updated'>;

/** The position of an issue in the hierarchy of its project. */
export type IssuePlace = Pick<Issue, 'id' | 'projectId' | 'parentIssueId'>;

const COLUMNS: readonly (FixedField | RowField)[] = [...FIXED_FIELDS, ...ROW_FIELDS];

/** Stores issues with their lists. */
@Injectable()
export class IssueRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: IssueListsRepository,
  ) {}

  /** Returns the issues that exist among these ids, in no particular order. */
  findByIds(ids: readonly number[], runner: EntityRunner = this.dataSource): Promise<IssueRow[]> {
    return findWhere(runner, 'i.id', ids);
  }

  /** Returns the issues of these threads, in no particular order. */
  findByThreadIds(threadIds: readonly number[], runner: EntityRunner = this.dataSource): Promise<IssueRow[]> {
    return findWhere(runner, 'i.thread_id', threadIds);
  }

  /** Returns what a list shows of the issues that exist among these ids, in no particular order. */
  async findLines(ids: readonly number[]): Promise<IssueLine[]> {
    if (ids.length === 0) return [];
    const list = inList(ids);
    const rows = await this.dataSource.query<IssueLine[]>(
      `SELECT ${entityColumns(this.dataSource, Issue, LINE_KEYS, 'i')}, ${PROJECT_KEY_COLUMN}, s.name AS statusName
         FROM ${ISSUES} ${joinProjectKey('i.project_id')} WHERE i.id ${list.sql}`,
      list.parameters,
    );
    return hydrateRows(this.dataSource, Issue, LINE_KEYS, rows);
  }

  /** Returns the threads of a project's issues from an issue number on, in the order of the numbers. */
  findThreadsFrom(
    projectId: number,
    keyId: number,
    limit: number,
  ): Promise<Pick<Issue, 'keyId' | 'threadId'>[]> {
    return selectRows(
      this.dataSource,
      Issue,
      ['keyId', 'threadId'],
      `WHERE project_id = ? AND key_id >= ? ORDER BY key_id LIMIT ${limit}`,
      [projectId, keyId],
    );
  }

  /** Returns the current state of an issue that the transaction has locked. */
  async findState(manager: EntityManager, id: number): Promise<IssueState> {
    const row = (await selectRow(manager, Issue, ROW_FIELDS, 'WHERE id = ?', [id])) as RowState;
    const lists = await this.lists.findByIssueIds([id], manager);
    return { ...row, ...(lists.get(id) as IssueLists) };
  }

  /** Returns the parts of issue keys: the project's key and the number. */
  async findKeys(
    ids: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Pick<IssueRow, 'id' | 'keyId' | 'projectKey'>[]> {
    const list = inList(ids);
    return runner.query(
      `SELECT i.id AS id, i.key_id AS keyId, ${PROJECT_KEY_COLUMN}
         FROM issue i ${joinProjectKey('i.project_id')} WHERE i.id ${list.sql}`,
      list.parameters,
    );
  }

  /** Returns the texts of an issue, or undefined when it no longer exists. */
  findTexts(
    id: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<Pick<Issue, 'summary' | 'description'> | undefined> {
    return selectRow(runner, Issue, ['summary', 'description'], 'WHERE id = ?', [id]);
  }

  /** Locks an issue for the rest of the transaction and returns its texts, or undefined when it no longer exists. */
  async lockTexts(
    manager: EntityManager,
    id: number,
  ): Promise<Pick<Issue, 'summary' | 'description'> | undefined> {
    await lockRow(manager, 'issue', id);
    return this.findTexts(id, manager);
  }

  /** Returns the author and the assignee of an issue, or undefined when it no longer exists. */
  findPeople(id: number): Promise<Pick<Issue, 'createdUserId' | 'assigneeId'> | undefined> {
    return selectRow(this.dataSource, Issue, ['createdUserId', 'assigneeId'], 'WHERE id = ?', [id]);
  }

  /** Locks an issue for the rest of the transaction; returns false when it no longer exists. */
  lock(manager: EntityManager, id: number): Promise<boolean> {
    return lockRow(manager, 'issue', id);
  }

  /**
   * Locks issues for the rest of the transaction, so that none of them becomes a parent or a child concurrently. Takes the locks in the
   * order of the ids, so that transactions that need the same issues do not deadlock.
   */
  async lockPlaces(manager: EntityManager, ids: readonly number[]): Promise<Map<number, IssuePlace>> {
    if (ids.length === 0) return new Map();
    const list = inList(ids);
    await lockRows(manager, 'issue', `WHERE id ${list.sql} ORDER BY id`, list.parameters);
    const rows = await selectRows(
      manager,
      Issue,
      ['id', 'projectId', 'parentIssueId'],
      `WHERE id ${list.sql}`,
      list.parameters,
    );
    return new Map(rows.map((row) => [row.id, row]));
  }

  async hasChildren(manager: EntityManager, id: number): Promise<boolean> {
    const child = await selectRow(manager, Issue, ['id'], 'WHERE parent_issue_id = ? LIMIT 1', [id]);
    return child !== undefined;
  }

  /** Inserts an issue with its lists and returns its id. */
  async insert(
    manager: EntityManager,
    issue: Pick<Issue, Exclude<FixedField, 'id'>>,
    state: IssueState,
  ): Promise<number> {
    const id = await insertRow(manager, Issue, { ...issue, ...rowStateOf(state) });
    await this.lists.insert(manager, id, state);
    return id;
  }

  /** Writes the fields that differ between two states of an issue. */
  async update(
    manager: EntityManager,
    id: number,
    { before, after }: { before: IssueState; after: IssueState },
    edit: IssueEdit,
  ): Promise<void> {
    const change = changedRowState(before, after);
    if (pastChangeOf(manager)) {
      await updateRow(manager, Issue, id, change);
      await this.recordEdit(manager, id, edit);
    } else {
      await updateRow(manager, Issue, id, {
        ...change,
        updatedUserId: edit.updatedUserId,
        updated: edit.updated,
      });
    }
    await this.lists.replace(manager, id, before, after);
  }

  /** Records the last edit of an issue that the transaction has locked. One of the past does not replace a later one. */
  async recordEdit(manager: EntityManager, id: number, { updatedUserId, updated }: IssueEdit): Promise<void> {
    const edit = { updatedUserId, updated };
    if (pastChangeOf(manager)) await this.recordUnlockedEdit(manager, id, edit);
    else await updateRow(manager, Issue, id, edit);
  }

  /**
   * Records the last edit of an issue that is not locked; returns false when it no longer exists. Keeps a later edit, because
   * transactions may commit in a different order than they began.
   */
  async recordUnlockedEdit(
    manager: EntityManager,
    id: number,
    { updatedUserId, updated }: IssueEdit,
  ): Promise<boolean> {
    const found = await affectedRows(
      manager,
      // MariaDB and MySQL assign from left to right, and the user depends on the old time.
      `UPDATE issue
          SET updated_user_id = CASE WHEN updated <= ? THEN ? ELSE updated_user_id END,
              updated = CASE WHEN updated <= ? THEN ? ELSE updated END
        WHERE id = ?`,
      [updated, updatedUserId, updated, updated, id],
    );
    return found > 0;
  }

  /** Replaces an issue type or status in all issues, marks their watchings as unread, and returns the first of these issues. */
  async replaceSetting(
    manager: EntityManager,
    field: 'issueTypeId' | 'statusId',
    { projectId, from, to, limit }: { projectId: number; from: number; to: number; limit: number },
  ): Promise<Pick<Issue, 'id' | 'keyId' | 'summary'>[]> {
    const column = quoted(toColumnName(field));
    const first = await selectRows(
      manager,
      Issue,
      ['id', 'keyId', 'summary'],
      `WHERE ${column} = ? ORDER BY id LIMIT ${limit}${forWrite(manager)}`,
      [from],
    );
    await changeInSlices(manager, REPLACED_AT_ONCE, async (limit) => {
      // In the order of an index, so that both statements name the same issues.
      const issues = `SELECT i.id FROM issue i WHERE i.${column} = ?${limit && ` ORDER BY i.created, i.id${limit}`}`;
      await manager.query(
        `UPDATE watching SET resource_already_read = ?, already_read = ?
          WHERE project_id = ? AND issue_id IN (${issues})`,
        [false, false, projectId, from],
      );
      const rows = limit ? `id IN (${issues})` : `${column} = ?`;
      return affectedRows(manager, `UPDATE issue SET ${column} = ? WHERE ${rows}`, [to, from]);
    });
    return first;
  }

  /** Returns up to `limit` ids of a project's issues. */
  async findIdsInProject(
    projectId: number,
    limit: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<number[]> {
    const first = `WHERE project_id = ? LIMIT ${limit}`;
    const rows = await selectRows(runner, Issue, ['id'], first, [projectId]);
    return rows.map(({ id }) => id);
  }

  async delete(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM issue WHERE id ${list.sql}`, list.parameters);
  }
}

/** Selects the numbers of children of the issues that have some. */
export const childCounts = (ids: readonly number[]): Select<ChildCounts> => ({
  alias: 'i',
  keys: ['parentIssueId'],
  others: { total: 'COUNT(*)', closed: 'COUNT(o.id)' },
  from: `issue i ${joinStandardStatus('i.status_id', StandardStatus.Closed)}`,
  column: 'i.parent_issue_id',
  ids,
  rest: 'GROUP BY i.parent_issue_id',
});

async function findWhere(
  runner: EntityRunner,
  column: 'i.id' | 'i.thread_id',
  values: readonly number[],
): Promise<IssueRow[]> {
  if (values.length === 0) return [];
  const list = inList([...new Set(values)]);
  const rows = await runner.query<(Pick<IssueRow, 'hasCustomFields'> & { data: unknown })[]>(
    `SELECT ${PACKED_COLUMNS} AS data, ${HAS_CUSTOM_FIELDS} FROM ${ISSUES} ${joinProjectKey('i.project_id')}
      WHERE ${column} ${list.sql}`,
    list.parameters,
  );
  const issues: IssueRow[] = [];
  const rest = eachInTurns(rows, 'data', ({ data, ...others }) =>
    issues.push(Object.assign(unpackIssue(data), others) as unknown as IssueRow),
  );
  if (rest) await rest;
  return hydrateIssues(runner, issues);
}

/** The tables of `issueColumns`, without the project `p`. */
export const ISSUES = `issue i ${JOIN_TYPE_AND_STATUS}`;

const HAS_CUSTOM_FIELDS = `${hasCustomFields('i.project_id')} AS hasCustomFields`;

/** Returns the columns of `IssueRow` for a statement whose rows go through `hydrateIssues`. */
export const issueColumns = (runner: EntityRunner): string =>
  `${entityColumns(runner, Issue, COLUMNS, 'i')}, ${PROJECT_KEY_COLUMN}, ${TYPE_AND_STATUS_COLUMNS},
    ${HAS_CUSTOM_FIELDS}`;

/** The other columns of `issueColumns` as one, for `unpackIssue`. In it, MariaDB would return the condition as a text. */
const PACKED_COLUMNS = packedColumns('i', COLUMNS, ['p.project_key', PACKED_ISSUE_TYPE, PACKED_STATUS]);
const unpackIssue = unpacker(['projectKey', 'issueType', 'status', ...COLUMNS]);

export const hydrateIssues = <Row extends IssueRow>(
  runner: EntityRunner,
  rows: Row[],
): Row[] | Promise<Row[]> => hydrateRows(runner, Issue, COLUMNS, rows);
