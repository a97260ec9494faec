import { type ColumnKind, type Table } from '../schema/tables';
import { quoted, type StatementRunner } from '../statements';

/** A row with the names of its columns, and with values that are the same on every engine. */
export type PortableRow = Record<string, string | number | boolean | null>;

/**
 * One state of the database, which reads see until it is closed, whatever others commit meanwhile. It takes no lock that anybody
 * would wait for.
 */
export interface Snapshot extends StatementRunner {
  readonly isEmbedded: boolean;
  /** The product and version of the database. */
  readonly engine: string;
  /** The rows of a SELECT, one after the other: memory does not grow with their number. One at a time. */
  stream: (sql: string) => AsyncIterable<Record<string, unknown>>;
  /** The last id that a table has given out, be it of a row that is gone; undefined where rows get no ids. */
  lastId: (table: string) => Promise<number | undefined>;
  close: () => Promise<void>;
}

/** The rows of a table in the order of its key. */
export async function* portableRows(
  snapshot: Pick<Snapshot, 'stream'>,
  { name, key, columns }: Table,
): AsyncGenerator<PortableRow> {
  const list = (names: readonly string[]): string => names.map(quoted).join(', ');
  const names = columns.map((column) => column.name);
  const sql = `SELECT ${list(names)} FROM ${quoted(name)} ORDER BY ${list(key)}`;
  for await (const row of snapshot.stream(sql)) {
    const portable: PortableRow = {};
    for (const column of columns) portable[column.name] = toPortable(row[column.name], column.kind);
    yield portable;
  }
}

function toPortable(value: unknown, kind: ColumnKind): PortableRow[string] {
  if (value === null) return null;
  if (kind === 'boolean') return Number(value) !== 0;
  // The MySQL drivers hand integers out as texts where they do not fit.
  return kind === 'integer' ? Number(value) : (value as string);
}
