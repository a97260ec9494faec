import { type OffsetPaging } from '../../paging/page';
import { Conditions } from './conditions';
import { type Sql } from './statements';

/** Rows that a list reads from each project, in the order of an index. */
export interface ProjectScan {
  /** SQL between SELECT and FROM; must select the row's id as `id`. */
  select: string;
  /** SQL between FROM and WHERE. */
  from: string;
  /** Columns with the ids of the project and the row. */
  projectId: string;
  id: string;
  sortKey: string;
  /** Conditions other than that on the project. */
  conditions: Conditions;
}

/** The column that rows of `mergedPage` have besides those selected. */
export interface Merged {
  sort_key?: unknown;
}

/** Maximum number of projects that are read one by one. */
const MAX_SCANS = 100;
/** Maximum number of rows of several scans that are sorted. */
export const MAX_MERGED_ROWS = 20_000;

/** Whether it is better to read a page project by project than from all the projects at once. */
export function isMerged(
  projectIds: readonly number[],
  { count, offset }: Pick<OffsetPaging, 'count' | 'offset'>,
): boolean {
  const isFew = projectIds.length > 1 && projectIds.length <= MAX_SCANS;
  return isFew && projectIds.length * (offset + count) <= MAX_MERGED_ROWS;
}

/**
 * Returns the statement that selects a page of the rows of several projects, plus one row if there are more.
 *
 * An index orders the rows of one project, but not those of several. The statement therefore selects the first rows of each project and
 * takes the page from these. Otherwise, the engines sort all rows of the projects, or also read those of all other projects.
 */
export function mergedPage(
  projectIds: readonly number[],
  { select, from, projectId, id, sortKey, conditions }: ProjectScan,
  { count, offset, order }: OffsetPaging,
): Sql {
  const direction = order === 'asc' ? 'ASC' : 'DESC';
  const { where } = new Conditions().add(`${projectId} = ?`).and(conditions);
  const scan = `SELECT ${select}, ${sortKey} AS sort_key FROM ${from} ${where} ORDER BY ${sortKey} ${direction}, ${id} ${direction}`;
  const scans = projectIds.map((project) => ({ sql: scan, parameters: [project, ...conditions.parameters] }));
  return mergedScans(scans, `u.sort_key ${direction}, u.id ${direction}`, { count, offset });
}

/**
 * Returns the statement that selects a page of the first rows of several scans, plus one row if there are more.
 * @param scans SELECTs in the order of the page, without a limit
 * @param orderBy the order of the page, by columns of the scans as `u`
 */
export function mergedScans(
  scans: readonly Sql[],
  orderBy: string,
  { count, offset }: Pick<OffsetPaging, 'count' | 'offset'>,
): Sql {
  const limited = scans.map(({ sql }) => `SELECT b.* FROM (${sql} LIMIT ${offset + count + 1}) b`);
  return {
    sql: `SELECT u.* FROM (${limited.join(' UNION ALL ')}) u ORDER BY ${orderBy} LIMIT ${count + 1} OFFSET ${offset}`,
    parameters: scans.flatMap(({ parameters }) => parameters),
  };
}
