import { type ColumnKind, type Table } from '../schema/tables';
import { quoted, type StatementRunner } from '../sql/statements';

/** A row by column name, with values that are the same on every engine. */
export type PortableRow = Record<string, string | number | boolean | null>;

/** One state of the database, which reads see until it is closed, regardless of concurrent commits. Its locks block no other connection. */
export interface Snapshot extends StatementRunner {
  readonly isEmbedded: boolean;
  /** The product and version of the database. */
  readonly engine: string;
  /** Streams the rows of a SELECT, so that memory does not grow with their number. Only one stream at a time. */
  stream: (sql: string) => AsyncIterable<Record<string, unknown>>;
  /** Returns the last id that a table has generated, even if its row is gone; undefined if the table generates none. */
  lastId: (table: string) => Promise<number | undefined>;
  close: () => Promise<void>;
}

/**
 * Yields the rows of a table in key order.
 * @param condition SQL that selects rows of the table; all by default
 */
export async function* portableRows(
  snapshot: Pick<Snapshot, 'stream'>,
  { name, key, columns }: Table,
  condition?: string,
): AsyncGenerator<PortableRow> {
  const list = (names: readonly string[]): string => names.map(quoted).join(', ');
  const names = columns.map((column) => column.name);
  const sql = `SELECT ${list(names)} FROM ${quoted(name)}${condition === undefined ? '' : ` WHERE ${condition}`} ORDER BY ${list(key)}`;
  for await (const row of snapshot.stream(sql)) {
    const portable: PortableRow = {};
    for (const column of columns) portable[column.name] = toPortable(row[column.name], column.kind);
    yield portable;
  }
}

function toPortable(value: unknown, kind: ColumnKind): PortableRow[string] {
  if (value === null) return null;
  if (kind === 'boolean') return Number(value) !== 0;
  // The MySQL drivers return integers that do not fit as strings.
  return kind === 'integer' ? Number(value) : (value as string);
}
