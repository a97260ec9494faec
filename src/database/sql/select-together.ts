import { type ObjectLiteral } from 'typeorm';
import { eachInTurns } from './in-turns';
import { rowMaker } from './row-maker';
import { type EntityClass, hydrateRows } from './rows';
import { type EntityRunner, inList, quoted, toColumnName } from './statements';

/** A SELECT that `selectTogether` sends with others: rows with one of some ids in a column. */
export interface Select<Row> {
  /** The properties that are columns of one table, and its alias. */
  alias: string;
  keys: readonly (keyof Row & string)[];
  /** SQL for other properties. */
  others?: Readonly<Record<string, string>>;
  /** The entity of the table, if its properties are not of the types that the database returns. */
  entity?: EntityClass<ObjectLiteral>;
  /** SQL between FROM and WHERE. */
  from: string;
  column: string;
  ids: readonly number[];
  /** SQL after the condition. */
  rest?: string;
}

/** The rows of each SELECT. */
export type RowsOf<Selects extends object> = {
  [Name in keyof Selects]: Selects[Name] extends Select<infer Row> | undefined ? Row[] : never;
};

type AnyRow = Record<string, unknown>;

/**
 * Reads rows of several tables in one statement, each in the order of `displayOrder` and `id` as far as they have them. An absent SELECT
 * has no rows.
 */
export async function selectTogether<Selects extends Readonly<Record<string, Select<never> | undefined>>>(
  runner: EntityRunner,
  selects: Selects,
): Promise<RowsOf<Selects>> {
  const parts = Object.entries(selects).map(([name, select]) => ({ name, select, rows: [] as AnyRow[] }));
  const sent = parts.flatMap(({ select, rows }) => {
    if (!select) return [];
    const { others = {}, alias, keys } = select;
    const columns = packedColumns(alias, keys, Object.values(others));
    const unpack = unpacker([...Object.keys(others), ...keys]);
    return [{ select, rows, columns, unpack, list: inList(select.ids) }];
  });
  const statements = sent.map(({ select: { from, column, rest = '' }, columns, list }, index) => {
    return `SELECT ${index} AS part, ${columns} AS data FROM ${from} WHERE ${column} ${list.sql} ${rest}`;
  });
  const parameters = sent.flatMap(({ list }) => list.parameters);
  const found =
    sent.length === 0
      ? []
      : await runner.query<{ part: number; data: unknown }[]>(statements.join(' UNION ALL '), parameters);
  const rest = eachInTurns(found, 'data', ({ part, data }) => sent[part]?.rows.push(sent[part].unpack(data)));
  if (rest) await rest;
  for (const { select, rows } of sent) {
    if (select.entity) await hydrateRows(runner, select.entity, select.keys, rows);
    rows.sort(byPosition);
  }
  return Object.fromEntries(parts.map(({ name, rows }) => [name, rows])) as RowsOf<Selects>;
}

/**
 * Returns columns of a table as one: a driver takes longer to create the objects of wide rows than `unpacker` does.
 * @param others SQL for others before them
 */
export const packedColumns = (
  alias: string,
  keys: readonly string[],
  others: readonly string[] = [],
): string =>
  `JSON_ARRAY(${[...others, ...keys.map((key) => `${alias}.${quoted(toColumnName(key))}`)].join(', ')})`;

/** Returns the function that returns the properties of a packed column. The driver of MySQL has parsed it. */
export function unpacker(names: readonly string[]): (data: unknown) => AnyRow {
  const toRow = rowMaker(names);
  return (data) => toRow((typeof data === 'string' ? JSON.parse(data) : data) as unknown[]);
}

const byPosition = (one: AnyRow, other: AnyRow): number =>
  difference(one, other, 'displayOrder') || difference(one, other, 'id');

const difference = (one: AnyRow, other: AnyRow, name: string): number =>
  ((one[name] as number | undefined) ?? 0) - ((other[name] as number | undefined) ?? 0);
