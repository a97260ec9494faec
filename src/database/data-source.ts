import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type DataSourceOptions, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { type Environment } from '../config/environment';
import { migrations } from './migrations';
import { usePreparedStatements } from './mysql/prepared-statements';
import { NamingStrategy } from './naming-strategy';
import { useSearches } from './search/searches';
import { SqliteDatabase } from './sqlite/node-sqlite';
import { useSeparateSqliteConnections, useWriteAheadLog } from './sqlite/sqlite-connections';

/** How long a write waits at most for its turn on the embedded database, in milliseconds. */
const MAX_SQLITE_WRITER_WAIT = 5000;
/**
 * How long SQLite itself waits for a lock that another process holds, in milliseconds: not at all, because nothing else runs in
 * this process meanwhile. A write that meets a lock is sent again after a pause.
 */
const SQLITE_BUSY_TIMEOUT = 0;
/** Statements that all connections together keep prepared; a server allows 16,382 by default, for all its clients. */
const MAX_PREPARED_STATEMENTS = 4000;
const MEMORY = 'sqlite::memory:';

type DatabaseSettings = Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'> &
  Partial<Pick<Environment, 'DATABASE_STATEMENT_TIMEOUT' | 'SEARCH_TIMEOUT'>>;
type Entities = (EntityTarget<ObjectLiteral> & (new () => unknown))[];

/**
 * Builds the data source that the application, the TypeORM CLI and the migration checks share. It is not connected yet.
 * @param isBeside whether it is for looking at the embedded database while a service has it open; otherwise it is refused then
 */
export function createDataSource(
  settings: DatabaseSettings,
  entities: Entities,
  isBeside = false,
): DataSource {
  const dataSource = settings.DATABASE_URL.startsWith('sqlite:')
    ? createSqliteDataSource(settings, entities, isBeside)
    : createServerDataSource(settings, entities);
  useSearches(dataSource, settings.SEARCH_TIMEOUT);
  return dataSource;
}

const commonOptions = (entities: Entities) => ({
  entities,
  migrations,
  migrationsTransactionMode: 'each' as const,
  namingStrategy: new NamingStrategy(),
  synchronize: false,
  logging: false,
});

function createSqliteDataSource(
  settings: DatabaseSettings,
  entities: Entities,
  isBeside: boolean,
): DataSource {
  const { DATABASE_URL: url, DATABASE_STATEMENT_TIMEOUT: seconds = Infinity } = settings;
  const writerWait = Math.min(MAX_SQLITE_WRITER_WAIT, seconds * 1000);
  // A second connection cannot see an in-memory database, so "memory" is a private folder that goes with the process.
  const memoryFolder = url === MEMORY ? mkdtempSync(join(tmpdir(), 'project-management-')) : undefined;
  const dataSource = new DataSource({
    ...commonOptions(entities),
    type: 'better-sqlite3',
    driver: SqliteDatabase,
    database: memoryFolder ? join(memoryFolder, 'service.db') : url.slice('sqlite:'.length),
    timeout: SQLITE_BUSY_TIMEOUT,
    prepareDatabase: async (database: SqliteDatabase) => {
      await useWriteAheadLog(database, writerWait);
      database.pragma(`synchronous = ${memoryFolder ? 'OFF' : 'FULL'}`);
    },
  });
  useSeparateSqliteConnections(dataSource, writerWait, !memoryFolder && !isBeside);
  if (memoryFolder) removeWithConnection(dataSource, memoryFolder);
  return dataSource;
}

function removeWithConnection(dataSource: DataSource, folder: string): void {
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', remove);
  const { driver } = dataSource;
  const disconnect = driver.disconnect.bind(driver);
  driver.disconnect = async () => {
    await disconnect();
    process.removeListener('exit', remove);
    remove();
  };
}

function createServerDataSource(settings: DatabaseSettings, entities: Entities): DataSource {
  const dataSource = new DataSource(serverOptions(settings, entities));
  usePreparedStatements(dataSource);
  return dataSource;
}

function serverOptions(settings: DatabaseSettings, entities: Entities): DataSourceOptions {
  const url = new URL(settings.DATABASE_URL);
  return {
    ...commonOptions(entities),
    // On MariaDB, the type `mysql` shows drift that is not there (`docs/decisions/0010-database-engines.md`).
    type: url.protocol === 'mariadb:' ? 'mariadb' : 'mysql',
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : 3306,
    username: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    ssl: url.searchParams.get('ssl') === 'true' ? {} : undefined,
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    bigNumberStrings: false,
    connectTimeout: 5000,
    // A stack for each statement, in case it fails, costs more than some statements.
    extra: {
      trace: false,
      maxPreparedStatements: Math.max(10, Math.floor(MAX_PREPARED_STATEMENTS / settings.DATABASE_POOL_SIZE)),
    },
    poolSize: settings.DATABASE_POOL_SIZE,
  };
}
