import { type StatementRunner } from '../statements';
import { UNFINISHED_RESTORE } from '../unfinished-restore';

/** What values of a column are, on every engine. */
export type ColumnKind = 'boolean' | 'integer' | 'text';

export interface TableColumn {
  name: string;
  kind: ColumnKind;
}

/** A table as the database has it, whatever the entities of this version say. */
export interface Table {
  name: string;
  /** The columns of its primary key, in their order. */
  key: string[];
  /** What rows consist of: no column that is generated, and none that only locks. */
  columns: TableColumn[];
}

interface ColumnRow {
  tableName: string;
  name: string;
  type: string;
  /** Of the column in the primary key, from 1; 0 when it is not in it. */
  position: number | string;
}

/** What migrations and restores write down for themselves. */
export const BOOKKEEPING = new Set([
  'migrations',
  'migration_lease',
  'migration_progress',
  UNFINISHED_RESTORE,
]);
/** What can be made again from the other tables; a backup leaves it out. */
const DERIVED = new Set(['search_index', 'search_block', 'search_posting', 'search_change']);
/** See `LockVersionColumn`. */
const LOCK = 'lock_version';

const EMBEDDED_COLUMNS = `SELECT m.name AS tableName, c.name AS name, c.type AS type, c.pk AS position
  FROM sqlite_master m JOIN pragma_table_info(m.name) c
 WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.name, c.cid`;

const SERVER_COLUMNS = `SELECT c.table_name AS tableName, c.column_name AS name, c.column_type AS type,
       COALESCE(k.ordinal_position, 0) AS position
  FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = c.table_schema AND t.table_name = c.table_name
  LEFT JOIN information_schema.key_column_usage k ON k.table_schema = c.table_schema
       AND k.table_name = c.table_name AND k.column_name = c.column_name AND k.constraint_name = 'PRIMARY'
 WHERE c.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' AND COALESCE(c.generation_expression, '') = ''
 ORDER BY c.table_name, c.ordinal_position`;

/** The tables of the service in a database, without bookkeeping and what is derived, by name. */
export async function readTables(runner: StatementRunner, isEmbedded: boolean): Promise<Table[]> {
  const rows = await runner.query<ColumnRow[]>(isEmbedded ? EMBEDDED_COLUMNS : SERVER_COLUMNS);
  const tables = new Map<string, ColumnRow[]>();
  for (const row of rows) {
    if (BOOKKEEPING.has(row.tableName) || DERIVED.has(row.tableName)) continue;
    tables.set(row.tableName, [...(tables.get(row.tableName) ?? []), row]);
  }
  return [...tables].map(([name, columns]) => ({
    name,
    key: columns
      .filter(({ position }) => Number(position) > 0)
      .sort((a, b) => Number(a.position) - Number(b.position))
      .map((column) => column.name),
    columns: columns
      .filter((column) => column.name !== LOCK)
      .map((column) => ({ name: column.name, kind: kindOf(column) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
  }));
}

/** The names of the migrations that have run, in their order; none in a database without tables. */
export async function readMigrations(runner: StatementRunner, isEmbedded: boolean): Promise<string[]> {
  const tables = await runner.query<unknown[]>(
    isEmbedded
      ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'"
      : "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'migrations'",
  );
  if (tables.length === 0) return [];
  const rows = await runner.query<{ name: string }[]>('SELECT name FROM migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

function kindOf({ tableName, name, type }: ColumnRow): ColumnKind {
  // A boolean is a `tinyint` on servers, and nothing else is.
  if (/^(?:boolean|tinyint)\b/i.test(type)) return 'boolean';
  if (/^(?:smallint|int|integer|bigint)\b/i.test(type)) return 'integer';
  if (/^(?:varchar|char|text|mediumtext|longtext)\b/i.test(type)) return 'text';
  throw new Error(`The column ${tableName}.${name} has the type ${type}, which no engine reads alike`);
}
