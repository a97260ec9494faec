import { type EntityManager } from 'typeorm';
import { isEmbedded, quoted, type StatementRunner } from '../statements';
import { readTables } from './tables';

/** Rows of a table that reference missing rows of another. */
export interface BrokenReference {
  table: string;
  parent: string;
  rows: number;
}

/** A foreign key of one column. */
export interface ForeignKey {
  table: string;
  column: string;
  parent: string;
  parentColumn: string;
  /** What the database does with the rows when the row that they reference is deleted: `CASCADE`, `SET NULL` or `NO ACTION`. */
  onDelete: string;
}

/** The primary key of a row, in the order of the columns. */
export type RowKey = (number | string)[];

const EMBEDDED_KEYS = `SELECT m.name AS "table", f."from" AS "column", f."table" AS parent, f."to" AS parentColumn,
         f.on_delete AS onDelete
    FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
   WHERE m.type = 'table' ORDER BY m.name, f."from"`;

const SERVER_KEYS = `SELECT k.table_name AS ${quoted('table')}, k.column_name AS ${quoted('column')}, k.referenced_table_name AS parent,
         k.referenced_column_name AS parentColumn, r.delete_rule AS onDelete
    FROM information_schema.key_column_usage k
    JOIN information_schema.referential_constraints r ON r.constraint_schema = k.constraint_schema
         AND r.table_name = k.table_name AND r.constraint_name = k.constraint_name
   WHERE k.table_schema = DATABASE() AND k.referenced_table_name IS NOT NULL
   ORDER BY k.table_name, k.column_name`;

/** Returns the foreign keys of all tables. */
export async function readForeignKeys(runner: StatementRunner, embedded: boolean): Promise<ForeignKey[]> {
  return runner.query<ForeignKey[]>(embedded ? EMBEDDED_KEYS : SERVER_KEYS);
}

/** Finds references to missing rows. Reads every row that references another. */
export async function findBrokenReferences(
  runner: StatementRunner,
  embedded: boolean,
): Promise<BrokenReference[]> {
  return embedded ? findInFile(runner) : findOnServer(runner);
}

function findInFile(runner: StatementRunner): Promise<BrokenReference[]> {
  return runner.query<BrokenReference[]>(
    'SELECT "table", parent, COUNT(*) AS "rows" FROM pragma_foreign_key_check GROUP BY "table", parent',
  );
}

async function findOnServer(runner: StatementRunner): Promise<BrokenReference[]> {
  const broken: BrokenReference[] = [];
  for (const key of await readForeignKeys(runner, false)) {
    const [{ count }] = await runner.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count ${fromOrphans(key)}`,
    );
    if (Number(count) > 0) broken.push({ table: key.table, parent: key.parent, rows: Number(count) });
  }
  return broken;
}

/** Yields the primary keys of the rows that reference a missing row. @param runner streams rows, such as a snapshot */
export async function* streamOrphans(
  runner: StatementRunner & { stream: (sql: string) => AsyncIterable<Record<string, unknown>> },
  key: ForeignKey,
  embedded: boolean,
): AsyncGenerator<RowKey> {
  const columns = await primaryKeyOf(runner, key.table, embedded);
  // A derived table is built anew instead.
  if (columns.length === 0) return;
  const sql = `SELECT ${columns.map((name) => `c.${quoted(name)}`).join(', ')} ${fromOrphans(key)}`;
  for await (const row of runner.stream(sql)) yield columns.map((name) => row[name] as number | string);
}

/**
 * Does with rows what the database does when the row that they reference is deleted: deletes them, or empties their reference. Leaves rows
 * alone whose reference exists.
 * @param rowKeys primary keys of a limited number of rows
 * @returns the number of changed rows
 */
export async function releaseOrphans(
  manager: EntityManager,
  key: ForeignKey,
  rowKeys: readonly RowKey[],
): Promise<number> {
  const columns = await primaryKeyOf(manager, key.table, isEmbedded(manager.dataSource));
  const matches = (alias: string): string =>
    `(${rowKeys.map(() => columns.map((name) => `${alias}${quoted(name)} = ?`).join(' AND ')).join(' OR ')})`;
  const orphans = await manager.query<Record<string, number | string>[]>(
    `SELECT ${columns.map((name) => `c.${quoted(name)} AS ${quoted(name)}`).join(', ')} ${fromOrphans(key)} AND ${matches('c.')}`,
    rowKeys.flat(),
  );
  for (const orphan of orphans) {
    const change =
      key.onDelete === 'SET NULL'
        ? `UPDATE ${quoted(key.table)} SET ${quoted(key.column)} = NULL`
        : `DELETE FROM ${quoted(key.table)}`;
    await manager.query(
      `${change} WHERE ${columns.map((name) => `${quoted(name)} = ?`).join(' AND ')}`,
      columns.map((name) => orphan[name]),
    );
  }
  return orphans.length;
}

/** SQL after SELECT of the rows `c` of a table that reference a missing row. */
const fromOrphans = ({ table, column, parent, parentColumn }: ForeignKey): string =>
  `FROM ${quoted(table)} c LEFT JOIN ${quoted(parent)} p ON p.${quoted(parentColumn)} = c.${quoted(column)}
    WHERE c.${quoted(column)} IS NOT NULL AND p.${quoted(parentColumn)} IS NULL`;

async function primaryKeyOf(runner: StatementRunner, table: string, embedded: boolean): Promise<string[]> {
  const tables = await readTables(runner, embedded);
  return tables.find(({ name }) => name === table)?.key ?? [];
}
