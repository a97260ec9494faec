import { type OffsetPaging } from '../../paging/page';
import { Conditions } from './conditions';
import { MAX_MERGED_ROWS, type Merged, mergedScans } from './merged-page';
import { padToPowerOfTwo, type Sql, type StatementRunner } from './statements';

/**
 * The rows of a list in groups, each of which an index has together: the issues of a project, or those in a status. The list sorts by the
 * groups, or by a column in which an index has each group's rows in order; equal values by id.
 */
export interface GroupedRows {
  /** A SELECT of all groups, with their `id`, and the `sort_key` by which the list sorts unless the rows have one. */
  groups: Sql;
  /** The ids of the groups, if they are known and have no `sort_key`. */
  ids?: readonly number[];
  /** SQL between FROM and WHERE, with the index, and columns with the ids of the group and the row. */
  from: string;
  group: string;
  id: string;
  /** Conditions other than that on the group. */
  conditions: Conditions;
  /** The column of the rows by which the list sorts; undefined to sort by the groups. */
  sortKey?: string;
  /** True if the index has a group's rows in the order of `sortKey` and id; otherwise a group is read as a whole. */
  isInOrder: boolean;
  /** The rows outside of all groups, which sort below the others. */
  rest?: { from: string; id: string; conditions: Conditions };
}

/** A group of the page; `is_full` unless its rows are in order. */
interface Group {
  id: number;
  sort_key: number | string | null;
  is_full: number | null;
}

/**
 * Reads a page of grouped rows, plus one row if there are more. Reads only the groups that can contribute, and of each as few rows as an
 * index permits: the other way is to sort all rows of the list. The groups are read before the rows, so a row that another transaction
 * moves meanwhile can be on two pages or none, as between two requests.
 * @returns undefined if sorting everything is better, or the groups do not fit into a statement
 */
export async function groupedPage(
  runner: StatementRunner,
  rows: GroupedRows,
  page: OffsetPaging,
): Promise<{ id: number }[] | undefined> {
  const limit = page.offset + page.count + 1;
  if (limit > MAX_MERGED_ROWS) return undefined;
  const groups = await leadingGroups(runner, rows, page);
  if (!groups || groups.length * limit > MAX_MERGED_ROWS) return undefined;
  const scans = groupScans(rows, groups, page);
  const { rest } = rows;
  if (!rest) return readScans(runner, rows, scans, page);
  const ofRest = restScan(rest, page);
  if (page.order === 'asc') return readScans(runner, rows, [ofRest, ...scans], page);
  const first = await readScans(runner, rows, scans, page);
  return first.length > page.count ? first : readScans(runner, rows, [...scans, ofRest], page);
}

/** Returns the groups that can contribute to a page, in the order of the list; undefined if there are too many of them. */
async function leadingGroups(
  runner: StatementRunner,
  rows: GroupedRows,
  page: OffsetPaging,
): Promise<Group[] | undefined> {
  const limit = page.offset + page.count + 1;
  const direction = directionOf(page);
  const { groups, ids, sortKey, isInOrder } = rows;
  if (ids && ids.length <= limit) return ids.map((id) => ({ id, sort_key: null, is_full: null }));
  const { from, where, parameters } = sourceOf(rows, 'g.id');
  // The first row of each group, or any row, and whether there are enough of them for the page.
  const order = isInOrder ? `ORDER BY ${orderOf(rows, direction)}` : '';
  const select = (what: string, rest: string): Sql => ({
    sql: `(SELECT ${what} FROM ${from} ${where} ${rest})`,
    parameters,
  });
  const key = sortKey ? select(sortKey, `${order} LIMIT 1`) : { sql: 'g.sort_key', parameters: [] };
  const head = select(rows.id, `${order} LIMIT 1`);
  const full = isInOrder ? { sql: 'NULL', parameters: [] } : select('1', `LIMIT 1 OFFSET ${limit - 1}`);
  const found = await runner.query<Group[]>(
    `SELECT h.id AS id, h.sort_key AS sort_key, h.is_full AS is_full
       FROM (SELECT g.id AS id, ${key.sql} AS sort_key, ${head.sql} AS head, ${full.sql} AS is_full FROM (${groups.sql}) g) h
      WHERE h.head IS NOT NULL
      ORDER BY h.sort_key ${direction}, h.head ${direction} LIMIT ${limit + 1}`,
    [...key.parameters, ...head.parameters, ...full.parameters, ...groups.parameters],
  );
  // A row comes after the heads of all earlier groups, so there are at least as many rows before it.
  if (isInOrder) return found.slice(0, limit);
  const firstFull = found.findIndex(({ is_full }) => is_full !== null);
  const last = firstFull === -1 ? limit - 1 : firstFull;
  if (found.length <= last) return found;
  // Groups with equal keys are read together.
  const end = found.findIndex(({ sort_key }, index) => index > last && sort_key !== found[last]?.sort_key);
  if (end !== -1) return found.slice(0, end);
  return found.length > limit ? undefined : found;
}

/** Returns statements for the first rows of each group. The added ones match nothing, so that a few statements serve all numbers of groups. */
function groupScans(rows: GroupedRows, groups: readonly Group[], page: OffsetPaging): Sql[] {
  // Ranks instead of the keys, because servers compare parameters by another collation than columns.
  let rank = 0;
  const ranked = groups.map(({ id, sort_key }, index) => {
    if (index > 0 && sort_key !== groups[index - 1]?.sort_key) rank++;
    return { id, rank };
  });
  const { from, where, parameters } = sourceOf(rows, '?');
  const order = orderOf(rows, directionOf(page));
  return padToPowerOfTwo(ranked, { id: 0, rank: 0 }).map((group) => ({
    sql: `SELECT ${rows.id} AS id, ${rows.sortKey ?? '?'} AS sort_key FROM ${from} ${where} ORDER BY ${order}`,
    parameters: [...(rows.sortKey ? [] : [group.rank]), group.id, ...parameters],
  }));
}

/** Returns the statement for the first rows outside of all groups. */
const restScan = (
  { from, id, conditions }: NonNullable<GroupedRows['rest']>,
  { order }: OffsetPaging,
): Sql => ({
  sql: `SELECT ${id} AS id, ${order === 'asc' ? -1 : MAX_MERGED_ROWS} AS sort_key FROM ${from} ${conditions.where}
    ORDER BY ${id} ${directionOf({ order })}`,
  parameters: conditions.parameters,
});

/** Takes a page from the rows of several scans. */
async function readScans(
  runner: StatementRunner,
  { sortKey }: GroupedRows,
  scans: readonly Sql[],
  page: OffsetPaging,
): Promise<{ id: number }[]> {
  if (scans.length === 0) return [];
  const direction = directionOf(page);
  const { sql, parameters } = mergedScans(
    scans,
    `u.sort_key ${sortKey ? direction : 'ASC'}, u.id ${direction}`,
    page,
  );
  return runner.query<({ id: number } & Merged)[]>(sql, parameters);
}

/** Returns the source of the rows of one group, and its parameters but for the group. */
function sourceOf(
  { from, group, conditions }: GroupedRows,
  id: string,
): { from: string; where: string; parameters: unknown[] } {
  const { where, parameters } = new Conditions().add(`${group} = ${id}`).and(conditions);
  return { from, where, parameters };
}

const orderOf = ({ sortKey, id }: GroupedRows, direction: string): string =>
  sortKey ? `${sortKey} ${direction}, ${id} ${direction}` : `${id} ${direction}`;

const directionOf = ({ order }: Pick<OffsetPaging, 'order'>): string => (order === 'asc' ? 'ASC' : 'DESC');
