import { entities } from '../../app.entities';
import { type ColumnRule, columnRules } from '../../database/schema/columns';
import { createDataSource } from '../../database/connections/data-source';
import { migrations } from '../../database/migrations';
import { readTables, type Table } from '../../database/schema/tables';
import { isNoLongerThan } from '../../http/request/text';

/** A table as the migrations of a backup create it. */
export interface ExpectedTable extends Table {
  /** What each column may hold, by its name. */
  values: ReadonlyMap<string, (value: unknown) => boolean>;
}

interface TypeRow {
  tableName: string;
  name: string;
  type: string;
  isRequired: number;
}

const TYPES = `SELECT m.name AS tableName, c.name AS name, c.type AS type, (c."notnull" OR c.pk) AS isRequired
  FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'`;

const LARGEST_SMALL = 2 ** 15 - 1;
/** The longest text of a column without a length, in bytes. */
const LONGEST_TEXT = 16 * 1024 * 1024 - 1;

/** Names of this version's migrations, in order. */
export const MIGRATION_NAMES: readonly string[] = migrations.map(({ name }) => name);

const tablesByCount = new Map<number, Promise<ReadonlyMap<string, ExpectedTable>>>();

/** Returns the tables after the first `count` migrations of this version. Creates them in memory, once. */
export function expectedTables(count: number): Promise<ReadonlyMap<string, ExpectedTable>> {
  const tables = tablesByCount.get(count) ?? createTables(count);
  tablesByCount.set(count, tables);
  return tables;
}

async function createTables(count: number): Promise<ReadonlyMap<string, ExpectedTable>> {
  const dataSource = createDataSource({ DATABASE_URL: 'sqlite::memory:', DATABASE_POOL_SIZE: 1 }, entities);
  await dataSource.initialize();
  try {
    dataSource.migrations.splice(count);
    await dataSource.runMigrations();
    const rules = new Map(
      dataSource.entityMetadatas.map((metadata) => [metadata.tableName, columnRules(metadata)]),
    );
    const types = await dataSource.query<TypeRow[]>(TYPES);
    const valuesOf = (table: string): ExpectedTable['values'] =>
      new Map(
        types
          .filter(({ tableName }) => tableName === table)
          .map((column) => [column.name, ruleOf(column, rules.get(table)?.get(column.name))]),
      );
    const tables = await readTables(dataSource, true);
    return new Map(tables.map((table) => [table.name, { ...table, values: valuesOf(table.name) }]));
  } finally {
    await dataSource.destroy();
  }
}

function ruleOf({ type, isRequired }: TypeRow, rule: ColumnRule = () => true): (value: unknown) => boolean {
  const hasType = typeRule(type.toLowerCase());
  return (value) =>
    value === null ? !isRequired : hasType(value) && rule(value as string | number | boolean);
}

function typeRule(type: string): (value: unknown) => boolean {
  if (type === 'boolean') return (value) => typeof value === 'boolean';
  if (type === 'smallint')
    return (value) => Number.isInteger(value) && Math.abs(Number(value)) <= LARGEST_SMALL;
  if (type.endsWith('int') || type === 'integer') return (value) => Number.isSafeInteger(value);
  const length = Number(/\((\d+)\)/.exec(type)?.[1] ?? LONGEST_TEXT);
  return (value) =>
    typeof value === 'string' &&
    value.isWellFormed() &&
    isNoLongerThan(value, length) &&
    Buffer.byteLength(value) <= LONGEST_TEXT;
}
