import { type DataSource, type EntityManager } from 'typeorm';
import { type RecordKind } from '../../archives/record-kinds';
import { type PortableRow } from '../../database/snapshot/snapshot';
import {
  isEmbedded,
  placeholders,
  quoted,
  type StatementRunner,
  toColumnName,
} from '../../database/sql/statements';
import { readLastId } from '../../database/schema/last-id';

/** Inserts rows of a kind, which all have the same columns, with one statement. */
export async function insertRecords(
  manager: EntityManager,
  { table }: Pick<RecordKind, 'table'>,
  rows: readonly PortableRow[],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const names = Object.keys(first);
  const tuple = `(${placeholders(names)})`;
  await manager.query(
    `INSERT INTO ${quoted(table)} (${names.map(quoted).join(',')}) VALUES ${rows.map(() => tuple).join(',')}`,
    rows.flatMap((row) => names.map((name) => row[name])),
  );
}

/** Sets columns of a row by its id. */
export async function updateRecord(
  manager: EntityManager,
  { table }: Pick<RecordKind, 'table'>,
  id: number,
  changes: PortableRow,
): Promise<void> {
  const names = Object.keys(changes);
  await manager.query(
    `UPDATE ${quoted(table)} SET ${names.map((name) => `${quoted(name)} = ?`).join(', ')} WHERE id = ?`,
    [...names.map((name) => changes[name]), id],
  );
}

/** Returns the last id that the table of a kind has had. */
export async function lastIdOf(manager: EntityManager, table: string): Promise<number> {
  const embedded = isEmbedded(manager.dataSource);
  const generated = await readLastId(manager, table, embedded);
  const [row] = await manager.query<{ id: number | string | null }[]>(
    `SELECT MAX(id) AS id FROM ${quoted(table)}`,
  );
  return Math.max(generated ?? 0, Number(row?.id ?? 0));
}

/** Returns which of some texts a unique column of a kind has. */
export async function findTaken(
  runner: StatementRunner,
  { table }: Pick<RecordKind, 'table'>,
  property: string,
  values: readonly string[],
): Promise<string[]> {
  const column = quoted(toColumnName(property));
  const rows = await runner.query<{ value: string }[]>(
    `SELECT ${column} AS value FROM ${quoted(table)} WHERE ${column} IN (${placeholders(values)})`,
    [...values],
  );
  return rows.map(({ value }) => value);
}

/** Deletes rows by their ids. */
export async function deleteRecords(
  manager: EntityManager,
  { table, idField = 'id' }: Pick<RecordKind, 'table' | 'idField'>,
  ids: readonly number[],
): Promise<void> {
  const column = quoted(toColumnName(idField));
  await manager.query(`DELETE FROM ${quoted(table)} WHERE ${column} IN (${placeholders(ids)})`, [...ids]);
}

/** Rows that can be streamed. */
export interface OpenRows {
  stream: (sql: string) => AsyncIterable<Record<string, unknown>>;
  close: () => Promise<void>;
}

/**
 * Opens the rows for streaming: of a server, on the connections that write, because a replica may not have them yet.
 * @param openSnapshot opens a snapshot of the embedded database
 */
export async function openRows(
  dataSource: DataSource,
  openSnapshot: () => Promise<OpenRows>,
): Promise<OpenRows> {
  if (dataSource.options.database === ':memory:') {
    // Only tests have one.
    return {
      stream: async function* (sql) {
        yield* await dataSource.query<Record<string, unknown>[]>(sql);
      },
      close: () => Promise.resolve(),
    };
  }
  if (isEmbedded(dataSource)) return openSnapshot();
  const queryRunner = dataSource.createQueryRunner();
  return {
    stream: async function* (sql) {
      yield* (await queryRunner.stream(sql)) as unknown as AsyncIterable<Record<string, unknown>>;
    },
    close: () => queryRunner.release(),
  };
}
