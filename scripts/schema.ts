import { DataSource, Table, TableColumn, TableForeignKey } from 'typeorm';
import { type ColumnMetadata } from 'typeorm/metadata/ColumnMetadata';
import { entities } from '../src/app.entities';
import { createDataSource } from '../src/database/connections/data-source';
import { migrateDatabase } from '../src/database/migrating/migrate';
import { isEmbedded } from '../src/database/sql/statements';

/** The statements that would bring a migrated database to where the entities are; none when nothing has drifted. */
export interface SchemaDifference {
  up: string[];
  down: string[];
}

/** Migrates the empty database at `url` and compares it with the entities. */
export async function schemaDifference(url: string): Promise<SchemaDifference> {
  const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 1 }, entities);
  await dataSource.initialize();
  try {
    await migrateDatabase(dataSource);
    const added = isEmbedded(dataSource)
      ? [...(await addTables(dataSource)), ...(await addColumns(dataSource))]
      : [];
    const difference = await dataSource.driver.createSchemaBuilder().log();
    return {
      up: [...added, ...difference.upQueries.map((query) => query.query)],
      down: difference.downQueries.map((query) => query.query).reverse(),
    };
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Adds the missing tables to SQLite, and returns the statements. The schema builder would add each without its foreign keys, and then replace
 * it.
 */
export async function addTables(dataSource: DataSource): Promise<string[]> {
  const { driver, entityMetadatas } = dataSource;
  const tables = await dataSource.query<{ name: string }[]>(
    "SELECT name FROM sqlite_master WHERE type = 'table'",
  );
  const names = new Set(tables.map(({ name }) => name));
  const runner = dataSource.createQueryRunner();
  try {
    runner.enableSqlMemory();
    for (const metadata of entityMetadatas.filter(({ tableName }) => !names.has(tableName))) {
      const table = Table.create(metadata, driver);
      table.foreignKeys = metadata.foreignKeys.map((key) => TableForeignKey.create(key, driver));
      await runner.createTable(table);
    }
    const statements = runner.getMemorySql().upQueries.map(({ query }) => query);
    await runner.executeMemoryUpSql();
    return statements;
  } finally {
    await runner.release();
  }
}

/**
 * Adds the missing columns that SQLite can add in place, and returns the statements. The schema builder would replace the whole table, which
 * takes a dozen statements and copies every row.
 */
export async function addColumns(dataSource: DataSource): Promise<string[]> {
  const statements: string[] = [];
  for (const { tableName, columns } of dataSource.entityMetadatas) {
    const present = await dataSource.query<{ name: string }[]>('SELECT name FROM pragma_table_info(?)', [
      tableName,
    ]);
    const names = new Set(present.map(({ name }) => name));
    if (names.size === 0) continue;
    for (const column of columns) {
      if (names.has(column.databaseName) || !canBeAdded(column)) continue;
      const definition = definitionOf(dataSource, column);
      statements.push(`ALTER TABLE "${tableName}" ADD COLUMN "${column.databaseName}" ${definition}`);
    }
  }
  for (const statement of statements) await dataSource.query(statement);
  return statements;
}

/** Whether existing rows can have the column's default, and the column has no constraint of its own. */
const canBeAdded = ({ isPrimary, isNullable, default: value, referencedColumn }: ColumnMetadata): boolean =>
  !isPrimary && !referencedColumn && (isNullable || (value !== undefined && value !== null));

function definitionOf({ driver }: DataSource, column: ColumnMetadata): string {
  const type = driver.createFullType(
    new TableColumn({
      name: column.databaseName,
      type: driver.normalizeType(column),
      length: driver.getColumnLength(column),
    }),
  );
  const value = driver.normalizeDefault(column);
  return `${type}${column.isNullable ? '' : ' NOT NULL'}${value === undefined ? '' : ` DEFAULT (${value})`}`;
}

/** Runs `work` with the address of a new, empty database on the server that `serverUrl` names, and drops it after. */
export async function withScratchDatabase<T>(
  serverUrl: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const url = new URL(serverUrl);
  const name = `pms_scratch_${process.pid}_${Date.now()}`;
  const server = new DataSource({
    type: url.protocol === 'mariadb:' ? 'mariadb' : 'mysql',
    host: url.hostname,
    port: Number(url.port || 3306),
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  });
  await server.initialize();
  try {
    await server.query(`CREATE DATABASE ${name}`);
    url.pathname = `/${name}`;
    return await work(url.toString());
  } finally {
    await server.query(`DROP DATABASE IF EXISTS ${name}`);
    await server.destroy();
  }
}
