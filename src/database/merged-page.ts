import { type OffsetPaging } from '../paging/page';
import { Conditions } from './conditions';

/** What a list reads of each project, in an order that an index has. */
export interface ProjectScan {
  /** What stands between SELECT and FROM; the row's id is among it as `id`. */
  select: string;
  /** What stands between FROM and WHERE. */
  from: string;
  /** The columns that name the project and the row. */
  projectId: string;
  id: string;
  sortKey: string;
  /** Without those on the project. */
  conditions: Conditions;
}

/** How many projects are read one by one, and how many of their rows are sorted at most. */
const MAX_SCANS = 100;
const MAX_ROWS = 20_000;

/** Whether a page of several projects is better read project by project than from all of them at once. */
export function isMerged(
  projectIds: readonly number[],
  { count, offset }: Pick<OffsetPaging, 'count' | 'offset'>,
): boolean {
  const isFew = projectIds.length > 1 && projectIds.length <= MAX_SCANS;
  return isFew && projectIds.length * (offset + count) <= MAX_ROWS;
}

/**
 * The statement that selects a page of the rows of some projects, and one more if there is one.
 *
 * An index has the rows of one project in order, but not those of several. So the first rows of each project are selected, and
 * the first of these are the page. Without that, the engines sort all rows of the projects, or read those of all other projects
 * as well.
 */
export function mergedPage(
  projectIds: readonly number[],
  { select, from, projectId, id, sortKey, conditions }: ProjectScan,
  { count, offset, order }: OffsetPaging,
): { sql: string; parameters: unknown[] } {
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const { where } = new Conditions().add(`${projectId} = ?`).and(conditions);
  const scan = `SELECT b.* FROM (SELECT ${select}, ${sortKey} AS sort_key FROM ${from} ${where}
    ORDER BY ${sortKey} ${direction}, ${id} ${direction} LIMIT ${offset + count + 1}) b`;
  return {
    sql: `SELECT u.* FROM (${projectIds.map(() => scan).join(' UNION ALL ')}) u
      ORDER BY u.sort_key ${direction}, u.id ${direction} LIMIT ${count + 1} OFFSET ${offset}`,
    parameters: projectIds.flatMap((project) => [project, ...conditions.parameters]),
  };
}
