import { type ObjectLiteral } from 'typeorm';
import { type EntityClass, entitySources, hydrateRows } from './rows';
import { type EntityRunner, inList } from './statements';

/** A SELECT that `selectTogether` sends with others: rows with one of some ids in a column. */
export interface Select<Row> {
  /** The entity whose columns are read, and the alias of its table. */
  entity: EntityClass<ObjectLiteral>;
  alias: string;
  keys: readonly (keyof Row & string)[];
  /** SQL for integers besides the entity's columns, by property. */
  numbers?: Readonly<Record<string, string>>;
  /** SQL between FROM and WHERE. */
  from: string;
  column: string;
  ids: readonly number[];
  /** SQL after the condition. */
  rest?: string;
}

type Selects = Readonly<Record<string, Select<never> | undefined>>;

/** The rows of each SELECT. */
export type RowsOf<Names extends object> = {
  [Name in keyof Names]: Names[Name] extends Select<infer Row> | undefined ? Row[] : never;
};

/**
 * Reads rows of several tables in one statement, each in the order of `displayOrder` and `id` as far as they have them. The statement is a
 * UNION whose columns hold first the numbers and then the texts of each SELECT, because an engine gives a column one type.
 */
export async function selectTogether<Names extends Selects>(
  runner: EntityRunner,
  selects: Names,
): Promise<RowsOf<Names>> {
  const parts = Object.entries(selects).map(([name, select]) => ({ name, select, rows: [] as AnyRow[] }));
  const sent = parts.flatMap(({ select, rows }) => {
    if (!select) return [];
    const { numbers, texts } = entitySources(runner, select.entity, select.keys, select.alias);
    const list = inList(select.ids);
    return [{ select, rows, list, numbers: [...Object.entries(select.numbers ?? {}), ...numbers], texts }];
  });
  const width = Math.max(...sent.map(({ numbers }) => numbers.length));
  const textWidth = Math.max(...sent.map(({ texts }) => texts.length));
  const layouts = sent.map(({ numbers, texts }) => [...padded(numbers, width), ...padded(texts, textWidth)]);
  const statements = sent.map(({ select: { from, column, rest = '' }, list }, index) => {
    const columns = layouts[index]
      ?.map((source, place) => `${source?.[1] ?? 'NULL'} AS c${place}`)
      .join(', ');
    return `SELECT ${index} AS part, ${columns} FROM ${from} WHERE ${column} ${list.sql} ${rest}`;
  });
  const parameters = sent.flatMap(({ list }) => list.parameters);
  for (const row of await runner.query<AnyRow[]>(statements.join(' UNION ALL '), parameters)) {
    const read: AnyRow = {};
    layouts[row.part as number]?.forEach((source, place) => {
      if (source) read[source[0]] = row[`c${place}`];
    });
    sent[row.part as number]?.rows.push(read);
  }
  for (const { select, rows } of sent) hydrateRows(runner, select.entity, select.keys, rows).sort(byPosition);
  return Object.fromEntries(parts.map(({ name, rows }) => [name, rows])) as RowsOf<Names>;
}

type AnyRow = Record<string, unknown>;

const padded = <Source>(sources: readonly Source[], width: number): (Source | undefined)[] =>
  Array.from({ length: width }, (_, index) => sources[index]);

const byPosition = (one: AnyRow, other: AnyRow): number =>
  difference(one, other, 'displayOrder') || difference(one, other, 'id');

const difference = (one: AnyRow, other: AnyRow, name: string): number =>
  ((one[name] as number | undefined) ?? 0) - ((other[name] as number | undefined) ?? 0);
