import { type EntityManager } from 'typeorm';
import { quoted, type StatementRunner } from '../sql/statements';

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
  /** Columns of the primary key of the table, in order. */
  primaryKey: string[];
}

/** The primary key of a row, in the order of the columns. */
export type RowKey = (number | string)[];

const EMBEDDED_KEYS = `SELECT m.name AS "table", f."from" AS "column", f."table" AS parent, f."to" AS parentColumn,
         f.on_delete AS onDelete
    FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f
   WHERE m.type = 'table' ORDER BY m.name, f."from"`;

const EMBEDDED_PRIMARY_KEYS = `SELECT m.name AS "table", c.name AS "column"
    FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND c.pk > 0 ORDER BY m.name, c.pk`;

const SERVER_KEYS = `SELECT table_name AS ${quoted('table')}, column_name AS ${quoted('column')}, constraint_name AS name,
         referenced_table_name AS parent, referenced_column_name AS parentColumn
    FROM information_schema.key_column_usage
   WHERE table_schema = DATABASE() AND (referenced_table_name IS NOT NULL OR constraint_name = 'PRIMARY')
   ORDER BY table_name, ordinal_position, column_name`;

// Not joined with the other: servers build both for each row.
const SERVER_RULES = `SELECT table_name AS ${quoted('table')}, constraint_name AS name, delete_rule AS onDelete
    FROM information_schema.referential_constraints WHERE constraint_schema = DATABASE()`;

interface ColumnOfKey {
  table: string;
  column: string;
}

type Parent = 'parent' | 'parentColumn';
type ServerColumn = ColumnOfKey & { name: string } & (Record<Parent, string> | Record<Parent, null>);

/** Returns the foreign keys of all tables. */
export async function readForeignKeys(runner: StatementRunner, embedded: boolean): Promise<ForeignKey[]> {
  if (embedded) {
    const primary = await runner.query<ColumnOfKey[]>(EMBEDDED_PRIMARY_KEYS);
    const keys = await runner.query<Omit<ForeignKey, 'primaryKey'>[]>(EMBEDDED_KEYS);
    return keys.map((key) => ({ ...key, primaryKey: columnsOfTable(primary, key.table) }));
  }
  const columns = await runner.query<ServerColumn[]>(SERVER_KEYS);
  const rules = await runner.query<{ table: string; name: string; onDelete: string }[]>(SERVER_RULES);
  const byName = new Map(rules.map(({ table, name, onDelete }) => [`${table} ${name}`, onDelete]));
  const primary = columns.filter(({ parent }) => parent === null);
  return columns.flatMap(({ table, column, name, parent, parentColumn }) => {
    if (parent === null) return [];
    const onDelete = byName.get(`${table} ${name}`) ?? 'NO ACTION';
    return { table, column, parent, parentColumn, onDelete, primaryKey: columnsOfTable(primary, table) };
  });
}

const columnsOfTable = (columns: readonly ColumnOfKey[], name: string): string[] =>
  columns.filter(({ table }) => table === name).map(({ column }) => column);

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
  runner: { stream: (sql: string) => AsyncIterable<Record<string, unknown>> },
  key: ForeignKey,
): AsyncGenerator<RowKey> {
  const { primaryKey } = key;
  const sql = `SELECT ${primaryKey.map((name) => `c.${quoted(name)}`).join(', ')} ${fromOrphans(key)}`;
  for await (const row of runner.stream(sql)) yield primaryKey.map((name) => row[name] as number | string);
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
  const columns = key.primaryKey;
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
