import { entities } from '../../app.entities';
import { type ColumnRule, columnRules } from '../../database/schema/columns';
import { createDataSource } from '../../database/connections/data-source';
import { migrations } from '../../database/migrations';
import { type ForeignKey, readForeignKeys } from '../../database/schema/foreign-keys';
import { readTables, type Table } from '../../database/schema/tables';
import { isNoLongerThan } from '../../http/request/text';

/** A table as the migrations of a backup create it. */
export interface ExpectedTable extends Table {
  /** What each column may hold, by its name. */
  values: ReadonlyMap<string, (value: unknown) => boolean>;
  /** Which columns may be NULL. */
  nullable: ReadonlySet<string>;
  /** The longest texts of columns, in characters. */
  lengths: ReadonlyMap<string, number>;
  /** Which columns have only 32 bits on a server. The embedded database stores longer integers in them, and backups may have these. */
  shortIntegers: ReadonlySet<string>;
}

/** The schema after some migrations. */
export interface ExpectedSchema {
  tables: ReadonlyMap<string, ExpectedTable>;
  foreignKeys: readonly ForeignKey[];
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

const schemaByCount = new Map<number, Promise<ExpectedSchema>>();

/** Returns the tables after the first `count` migrations of this version. Creates them in memory, once. */
export const expectedTables = async (count: number): Promise<ExpectedSchema['tables']> =>
  (await expectedSchema(count)).tables;

/** Returns the name of an expected table that is missing, or has other keys or columns; undefined if there is none. */
export function findDifferent(
  tables: readonly Table[],
  expected: ReadonlyMap<string, ExpectedTable>,
): string | undefined {
  const found = new Set(tables.map(toComparable));
  return [...expected.values()].find((table) => !found.has(toComparable(table)))?.name;
}

const toComparable = ({ name, key, columns }: Table): string =>
  JSON.stringify([name, key, ...columns.map((column) => [column.name, column.kind])]);

/** Returns the schema after the first `count` migrations of this version; after all by default. Creates it in memory, once. */
export function expectedSchema(count = MIGRATION_NAMES.length): Promise<ExpectedSchema> {
  const schema = schemaByCount.get(count) ?? createSchema(count);
  schemaByCount.set(count, schema);
  return schema;
}

async function createSchema(count: number): Promise<ExpectedSchema> {
  const dataSource = createDataSource({ DATABASE_URL: 'sqlite::memory:', DATABASE_POOL_SIZE: 1 }, entities);
  await dataSource.initialize();
  try {
    dataSource.migrations.splice(count);
    await dataSource.runMigrations();
    const metadatas = new Map(dataSource.entityMetadatas.map((metadata) => [metadata.tableName, metadata]));
    const types = await dataSource.query<TypeRow[]>(TYPES);
    const tables = (await readTables(dataSource, true)).map((table): [string, ExpectedTable] => {
      const columns = types.filter(({ tableName }) => tableName === table.name);
      const metadata = metadatas.get(table.name);
      const rules = metadata && columnRules(metadata);
      const values = new Map(columns.map((column) => [column.name, ruleOf(column, rules?.get(column.name))]));
      const nullable = new Set(columns.filter(({ isRequired }) => !isRequired).map(({ name }) => name));
      const lengths = new Map(
        columns.flatMap(({ name, type }): [string, number][] => {
          const length = lengthOf(type);
          return length === undefined ? [] : [[name, length]];
        }),
      );
      // The types of the embedded database do not tell.
      const shortIntegers = new Set(
        metadata?.columns.flatMap(({ type, databaseName }) => (type === 'integer' ? [databaseName] : [])),
      );
      return [table.name, { ...table, values, nullable, lengths, shortIntegers }];
    });
    return { tables: new Map(tables), foreignKeys: await readForeignKeys(dataSource, true) };
  } finally {
    await dataSource.destroy();
  }
}

function ruleOf({ type, isRequired }: TypeRow, rule: ColumnRule = () => true): (value: unknown) => boolean {
  const hasType = typeRule(type.toLowerCase());
  return (value) =>
    value === null ? !isRequired : hasType(value) && rule(value as string | number | boolean);
}

function lengthOf(type: string): number | undefined {
  const [, length] = /\((\d+)\)/.exec(type) ?? [];
  return length === undefined ? undefined : Number(length);
}

function typeRule(type: string): (value: unknown) => boolean {
  if (type === 'boolean') return (value) => typeof value === 'boolean';
  if (type === 'smallint')
    return (value) => Number.isInteger(value) && Math.abs(Number(value)) <= LARGEST_SMALL;
  if (type.endsWith('int') || type === 'integer') return (value) => Number.isSafeInteger(value);
  const length = lengthOf(type) ?? LONGEST_TEXT;
  return (value) =>
    typeof value === 'string' &&
    value.isWellFormed() &&
    isNoLongerThan(value, length) &&
    Buffer.byteLength(value) <= LONGEST_TEXT;
}
