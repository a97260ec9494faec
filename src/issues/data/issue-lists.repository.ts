import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { removeInSlices } from '../../database/sql/slices';
import { inList, quoted, type StatementRunner } from '../../database/sql/statements';
import { ISSUE_FIELDS, type IssueLists, LIST_FIELDS, type ListField } from '../issue-fields';

type GrowingLists = Record<ListField, number[]>;

/** Stores the id lists of issues: categories, versions and milestones, each in its own table. */
@Injectable()
export class IssueListsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the lists of issues by issue id, in one query. An issue without entries has empty lists. */
  async findByIssueIds(
    issueIds: readonly number[],
    runner: StatementRunner = this.dataSource,
  ): Promise<Map<number, IssueLists>> {
    const ids = inList(issueIds);
    const selects = LIST_FIELDS.map((field) => {
      const { table, column } = ISSUE_FIELDS[field];
      return `SELECT issue_id AS issueId, '${field}' AS field, ${column} AS id FROM ${table} WHERE issue_id ${ids.sql}`;
    });
    const rows = await runner.query<{ issueId: number; field: ListField; id: number }[]>(
      `${selects.join(' UNION ALL ')} ORDER BY id`,
      LIST_FIELDS.flatMap(() => ids.parameters),
    );
    const lists = new Map(issueIds.map((id) => [id, emptyLists()]));
    for (const { issueId, field, id } of rows) lists.get(issueId)?.[field].push(id);
    return lists;
  }

  /** Replaces the lists of an issue. Sends statements only for lists that differ. */
  async replace(
    manager: EntityManager,
    issueId: number,
    before: IssueLists,
    after: IssueLists,
  ): Promise<void> {
    for (const field of LIST_FIELDS) {
      await remove(
        manager,
        issueId,
        field,
        before[field].filter((id) => !after[field].includes(id)),
      );
      await insert(
        manager,
        issueId,
        field,
        after[field].filter((id) => !before[field].includes(id)),
      );
    }
  }

  /** Removes a category or version from these lists of all issues. */
  async removeEntry(manager: EntityManager, fields: readonly ListField[], id: number): Promise<void> {
    for (const field of fields) {
      const { table, column } = ISSUE_FIELDS[field];
      await removeInSlices(manager, table, column, [id]);
    }
  }

  /** Writes the lists of a new issue. */
  insert(manager: EntityManager, issueId: number, lists: IssueLists): Promise<void> {
    return this.replace(manager, issueId, emptyLists(), lists);
  }
}

const emptyLists = (): GrowingLists => ({ categoryIds: [], versionIds: [], milestoneIds: [] });

async function remove(
  manager: EntityManager,
  issueId: number,
  field: ListField,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const { table, column } = ISSUE_FIELDS[field];
  const list = inList(ids);
  await manager.query(`DELETE FROM ${quoted(table)} WHERE issue_id = ? AND ${quoted(column)} ${list.sql}`, [
    issueId,
    ...list.parameters,
  ]);
}

async function insert(
  manager: EntityManager,
  issueId: number,
  field: ListField,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  const { table, column } = ISSUE_FIELDS[field];
  await manager.query(
    `INSERT INTO ${quoted(table)} (issue_id, ${quoted(column)}) VALUES ${ids.map(() => '(?, ?)').join(', ')}`,
    ids.flatMap((id) => [issueId, id]),
  );
}
