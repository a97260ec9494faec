import { type IdPaging, type OffsetPaging, type Page, toIdPage, toOffsetPage } from '../../paging/page';
import { type Conditions } from './conditions';
import { type StatementRunner } from './statements';

/** Source of a page. */
export interface ListSource {
  /** SQL between SELECT and FROM. */
  select: string;
  /** SQL between FROM and WHERE. */
  from: string;
  conditions: Conditions;
}

/**
 * Reads one page of a list ordered by id in a single query.
 * @param id the column that `minId` and `maxId` refer to; the rows have it as `id`
 */
export async function idPage<Row extends { id: number }>(
  runner: StatementRunner,
  { select, from, conditions }: ListSource,
  query: IdPaging,
  id = 'id',
): Promise<Page<Row>> {
  conditions.addIf(query.minId, `${id} >= ?`).addIf(query.maxId, `${id} <= ?`);
  const direction = query.order === 'asc' ? 'ASC' : 'DESC';
  const rows = await runner.query<Row[]>(
    `SELECT ${select} FROM ${from} ${conditions.where} ORDER BY ${id} ${direction}
      LIMIT ${query.count + 1} OFFSET ${query.offset}`,
    conditions.parameters,
  );
  return toIdPage(rows, query);
}

/** Reads one page of a list in another order in a single query. */
export async function offsetPage<Row>(
  runner: StatementRunner,
  { select, from, conditions }: ListSource,
  query: OffsetPaging,
  orderBy: string,
): Promise<Page<Row>> {
  const rows = await runner.query<Row[]>(
    `SELECT ${select} FROM ${from} ${conditions.where} ORDER BY ${orderBy}
      LIMIT ${query.count + 1} OFFSET ${query.offset}`,
    conditions.parameters,
  );
  return toOffsetPage(rows, query);
}

/**
 * Counts the rows.
 * @param source `fromParameters` fill the placeholders between FROM and WHERE
 */
export async function countRows(
  runner: StatementRunner,
  {
    from,
    fromParameters = [],
    conditions,
  }: Omit<ListSource, 'select'> & { fromParameters?: readonly unknown[] },
): Promise<number> {
  const [row] = await runner.query<{ count: number | string }[]>(
    `SELECT COUNT(*) AS count FROM ${from} ${conditions.where}`,
    [...fromParameters, ...conditions.parameters],
  );
  return Number(row?.count);
}
