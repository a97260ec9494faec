import { type EntityManager } from 'typeorm';
import { inList, type StatementRunner, quoted } from '../../database/statements';
import { LIST_FIELDS, type ListField } from '../changes/issue-state';

/** The tables of an issue's lists, each with `issue_id` and the id that it links to. */
export const LIST_TABLES: Readonly<Record<ListField, { table: string; column: string }>> = {
  categoryIds: { table: 'issue_category', column: 'category_id' },
  versionIds: { table: 'issue_version', column: 'version_id' },
  milestoneIds: { table: 'issue_milestone', column: 'version_id' },
};

/** The ids in an issue's lists, ascending. */
export type IssueLists = Record<ListField, number[]>;

/** The lists of issues by the issue's id, in one query; those of an issue that has none are empty. */
export async function findLists(
  runner: StatementRunner,
  issueIds: readonly number[],
): Promise<Map<number, IssueLists>> {
  const list = inList(issueIds);
  const selects = LIST_FIELDS.map((field) => {
    const { table, column } = LIST_TABLES[field];
    return `SELECT issue_id AS issueId, '${field}' AS field, ${column} AS id FROM ${table} WHERE issue_id ${list.sql}`;
  });
  const rows = await runner.query<{ issueId: number; field: ListField; id: number }[]>(
    `${selects.join(' UNION ALL ')} ORDER BY id`,
    LIST_FIELDS.flatMap(() => list.parameters),
  );
  const lists = new Map(issueIds.map((id) => [id, emptyLists()]));
  for (const { issueId, field, id } of rows) lists.get(issueId)?.[field].push(id);
  return lists;
}

const emptyLists = (): IssueLists => ({ categoryIds: [], versionIds: [], milestoneIds: [] });

/** Makes one list of an issue hold other ids than before. */
export async function replaceList(
  manager: EntityManager,
  issueId: number,
  field: ListField,
  before: readonly number[],
  after: readonly number[],
): Promise<void> {
  const { table, column } = LIST_TABLES[field];
  const removed = inList(before.filter((id) => !after.includes(id)));
  const added = after.filter((id) => !before.includes(id));
  if (removed.parameters.length > 0) {
    await manager.query(
      `DELETE FROM ${quoted(table)} WHERE issue_id = ? AND ${quoted(column)} ${removed.sql}`,
      [issueId, ...removed.parameters],
    );
  }
  if (added.length > 0) {
    await manager.query(
      `INSERT INTO ${quoted(table)} (issue_id, ${quoted(column)}) VALUES ${added.map(() => '(?, ?)').join(', ')}`,
      added.flatMap((id) => [issueId, id]),
    );
  }
}
