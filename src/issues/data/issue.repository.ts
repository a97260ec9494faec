import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hasCustomFields } from '../../custom-fields/custom-field-sql';
import { entityColumns, hydrateRows, insertRow, selectRow, selectRows, updateRow } from '../../database/rows';
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
} from '../../database/statements';
import { joinProjectKey, PROJECT_KEY_COLUMN } from '../../projects/project-key-sql';
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

/** An issue's own row, what is read of its project with it, and whether it is linked to shared files. */
export type IssueRow = Pick<Issue, FixedField | RowField> & {
  projectKey: string;
  /** 1 when the project has custom fields, else 0. */
  hasCustomFields: number;
  /** Read with the row, because most issues have none: no statement looks for the files then. */
  hasSharedFiles: boolean | number;
};

/** Who changed an issue last, and when. */
export type IssueEdit = Pick<Issue, 'updatedUserId' | 'updated'>;

/** The place of an issue in the hierarchy of its project. */
export type IssuePlace = Pick<Issue, 'id' | 'projectId' | 'parentIssueId'>;

const COLUMNS: readonly (FixedField | RowField)[] = [...FIXED_FIELDS, ...ROW_FIELDS];

/** Issues, with the lists that belong to them. */
@Injectable()
export class IssueRepository {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: IssueListsRepository,
  ) {}

  /** The issues that exist among these ids, in no particular order. */
  findByIds(ids: readonly number[], runner: EntityRunner = this.dataSource): Promise<IssueRow[]> {
    return findWhere(runner, 'i.id', ids);
  }

  /** The issues of these threads, in no particular order. */
  findByThreadIds(threadIds: readonly number[], runner: EntityRunner = this.dataSource): Promise<IssueRow[]> {
    return findWhere(runner, 'i.thread_id', threadIds);
  }

  /** The threads of a project's issues from a number on, in the order of the numbers, in one query. */
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

  /** The current state of an issue that the transaction has locked. */
  async findState(manager: EntityManager, id: number): Promise<IssueState> {
    const row = (await selectRow(manager, Issue, ROW_FIELDS, 'WHERE id = ?', [id])) as RowState;
    const lists = await this.lists.findByIssueIds([id], manager);
    return { ...row, ...(lists.get(id) as IssueLists) };
  }

  /** The parts of the keys of issues: the project's key and the number. */
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

  /** The texts of an issue, or undefined when it is gone. */
  findTexts(
    id: number,
    runner: EntityRunner = this.dataSource,
  ): Promise<Pick<Issue, 'summary' | 'description'> | undefined> {
    return selectRow(runner, Issue, ['summary', 'description'], 'WHERE id = ?', [id]);
  }

  /** The same, and locks the issue for the rest of the transaction. */
  async lockTexts(
    manager: EntityManager,
    id: number,
  ): Promise<Pick<Issue, 'summary' | 'description'> | undefined> {
    await lockRow(manager, 'issue', id);
    return this.findTexts(id, manager);
  }

  /** The author and the assignee of an issue, or undefined when it is gone. */
  findPeople(id: number): Promise<Pick<Issue, 'createdUserId' | 'assigneeId'> | undefined> {
    return selectRow(this.dataSource, Issue, ['createdUserId', 'assigneeId'], 'WHERE id = ?', [id]);
  }

  /** The number of children of issues, by the parent's id, and how many of them have one of the given statuses. */
  async countChildren(
    parentIds: readonly number[],
    closedStatusIds: readonly number[],
  ): Promise<Map<number, { total: number; closed: number }>> {
    const closed = inList(closedStatusIds);
    const parents = inList(parentIds);
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

  /** Locks an issue for the rest of the transaction; false when it is gone. */
  lock(manager: EntityManager, id: number): Promise<boolean> {
    return lockRow(manager, 'issue', id);
  }

  /**
   * Locks issues for the rest of the transaction, so that none of them becomes a parent or a child meanwhile. Locks are taken
   * in the order of the ids, so that two transactions that need the same issues do not block each other.
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

  /** Inserts an issue with its lists, and returns its id. */
  async insert(
    manager: EntityManager,
    issue: Pick<Issue, Exclude<FixedField, 'id'>>,
    state: IssueState,
  ): Promise<number> {
    const id = await insertRow(manager, Issue, { ...issue, ...rowStateOf(state) });
    await this.lists.insert(manager, id, state);
    return id;
  }

  /** Writes the fields in which two states of an issue differ. */
  async update(
    manager: EntityManager,
    id: number,
    { before, after }: { before: IssueState; after: IssueState },
    edit: IssueEdit,
  ): Promise<void> {
    await updateRow(manager, Issue, id, { ...changedRowState(before, after), ...edit });
    await this.lists.replace(manager, id, before, after);
  }

  /** Records who changed an issue that the transaction has locked. */
  recordEdit(manager: EntityManager, id: number, edit: IssueEdit): Promise<void> {
    return updateRow(manager, Issue, id, edit);
  }

  /**
   * Records who changed an issue that is not locked; false when it is gone. `updated` never goes back, although transactions
   * may commit in another order than they began.
   */
  async recordUnlockedEdit(
    manager: EntityManager,
    id: number,
    { updatedUserId, updated }: IssueEdit,
  ): Promise<boolean> {
    const found = await affectedRows(
      manager,
      `UPDATE issue SET updated = CASE WHEN updated < ? THEN ? ELSE updated END, updated_user_id = ? WHERE id = ?`,
      [updated, updated, updatedUserId, id],
    );
    return found > 0;
  }

  /** Replaces an issue type or a status of all issues, marks their watchings as unread, and returns the first of them. */
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
    await manager.query(
      `UPDATE watching SET resource_already_read = ?, already_read = ?
        WHERE project_id = ? AND issue_id IN (SELECT i.id FROM issue i WHERE i.${column} = ?)`,
      [false, false, projectId, from],
    );
    await manager.query(`UPDATE issue SET ${column} = ? WHERE ${column} = ?`, [to, from]);
    return first;
  }

  /** Up to `limit` ids of a project's issues. */
  async findIdsInProject(manager: EntityManager, projectId: number, limit: number): Promise<number[]> {
    const rows = await selectRows(manager, Issue, ['id'], `WHERE project_id = ? LIMIT ${limit}`, [projectId]);
    return rows.map(({ id }) => id);
  }

  async delete(manager: EntityManager, ids: readonly number[]): Promise<void> {
    const list = inList(ids);
    await manager.query(`DELETE FROM issue WHERE id ${list.sql}`, list.parameters);
  }
}

async function findWhere(
  runner: EntityRunner,
  column: 'i.id' | 'i.thread_id',
  values: readonly number[],
): Promise<IssueRow[]> {
  if (values.length === 0) return [];
  const list = inList([...new Set(values)]);
  const rows = await runner.query<IssueRow[]>(
    `SELECT ${entityColumns(runner, Issue, COLUMNS, 'i')}, ${PROJECT_KEY_COLUMN},
            ${hasCustomFields('i.project_id')} AS hasCustomFields,
            EXISTS (SELECT 1 FROM issue_shared_file f WHERE f.issue_id = i.id) AS hasSharedFiles
       FROM issue i ${joinProjectKey('i.project_id')} WHERE ${column} ${list.sql}`,
    list.parameters,
  );
  return hydrateRows(runner, Issue, COLUMNS, rows);
}
