import { type StatementRunner } from '../sql/statements';
import { UNFINISHED_RESTORE } from '../migrating/unfinished-restore';

/** Type of a column's values, the same on every engine. */
export type ColumnKind = 'boolean' | 'integer' | 'text';

export interface TableColumn {
  name: string;
  kind: ColumnKind;
}

/** A table as it exists in the database, regardless of the entities of this version. */
export interface Table {
  name: string;
  /** Columns of the primary key, in order. */
  key: string[];
  /** Columns with data: neither generated columns nor the lock column. */
  columns: TableColumn[];
}

interface ColumnRow {
  tableName: string;
  name: string;
  type: string;
  /** Position of the column in the primary key, from 1; 0 if it is not part of it. */
  position: number | string;
}

/** Tables with the internal state of migrations and restores. */
const BOOKKEEPING = new Set(['migrations', 'migration_lease', 'migration_progress', UNFINISHED_RESTORE]);
/** Tables that can be rebuilt from the others; excluded from backups. */
const DERIVED = new Set(['search_index', 'search_block', 'search_posting', 'search_change']);
/** See `LockVersionColumn`. */
const LOCK = 'lock_version';

const EMBEDDED_COLUMNS = `SELECT m.name AS tableName, c.name AS name, c.type AS type, c.pk AS position
  FROM sqlite_master m JOIN pragma_table_info(m.name) c
 WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY m.name, c.cid`;

const SERVER_COLUMNS = `SELECT c.table_name AS tableName, c.column_name AS name, c.column_type AS type, 0 AS position
  FROM information_schema.columns c
  JOIN information_schema.tables t ON t.table_schema = DATABASE() AND t.table_name = c.table_name
 WHERE c.table_schema = DATABASE() AND t.table_type = 'BASE TABLE' AND COALESCE(c.generation_expression, '') = ''
 ORDER BY c.table_name, c.ordinal_position`;

// Joined with the other, MariaDB would open all tables of all databases: that takes long, and on a cluster, any of them that is created
// or dropped meanwhile would abort the transaction.
const SERVER_PRIMARY_KEYS = `SELECT table_name AS tableName, column_name AS name, ordinal_position AS position
  FROM information_schema.key_column_usage WHERE table_schema = DATABASE() AND constraint_name = 'PRIMARY'`;

/**
 * Returns the tables in a database by name, without bookkeeping and derived tables.
 * @param isIncluded leaves out others by their names
 */
export async function readTables(
  runner: StatementRunner,
  isEmbedded: boolean,
  isIncluded: (name: string) => boolean = () => true,
): Promise<Table[]> {
  const rows = await (isEmbedded ? runner.query<ColumnRow[]>(EMBEDDED_COLUMNS) : readServerColumns(runner));
  const tables = new Map<string, ColumnRow[]>();
  for (const row of rows) {
    if (BOOKKEEPING.has(row.tableName) || DERIVED.has(row.tableName)) continue;
    tables.set(row.tableName, [...(tables.get(row.tableName) ?? []), row]);
  }
  const included = [...tables].filter(([name]) => isIncluded(name));
  return included.map(([name, columns]) => ({
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

async function readServerColumns(runner: StatementRunner): Promise<ColumnRow[]> {
  const columns = await runner.query<ColumnRow[]>(SERVER_COLUMNS);
  const keys = await runner.query<Omit<ColumnRow, 'type'>[]>(SERVER_PRIMARY_KEYS);
  const positions = new Map(keys.map(({ tableName, name, position }) => [`${tableName}.${name}`, position]));
  return columns.map((column) => ({
    ...column,
    position: positions.get(`${column.tableName}.${column.name}`) ?? 0,
  }));
}

/** Returns the names of the migrations that have run, in order; none for a database without tables. */
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
  // On servers, booleans are `tinyint`, and no other column is.
  if (/^(?:boolean|tinyint)\b/i.test(type)) return 'boolean';
  if (/^(?:smallint|int|integer|bigint)\b/i.test(type)) return 'integer';
  if (/^(?:varchar|char|text|mediumtext|longtext)\b/i.test(type)) return 'text';
  throw new Error(`The column ${tableName}.${name} has the type ${type}, which engines read differently`);
}
