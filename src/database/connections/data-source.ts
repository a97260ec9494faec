import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type DataSourceOptions, type EntityTarget, type ObjectLiteral } from 'typeorm';
import { type Environment } from '../../config/environment';
import { parseServerUrl, type ServerUrl } from '../../config/server-url';
import { migrations } from '../migrations';
import { usePreparedStatements } from '../mysql/prepared-statements';
import { type ServerExtra } from '../mysql/server-connections';
import { useServers } from '../mysql/use-servers';
import { NamingStrategy } from '../schema/naming-strategy';
import { useSearches } from '../search/searches';
import { SqliteDatabase } from '../sqlite/node-sqlite';
import { useSeparateSqliteConnections, useWriteAheadLog } from '../sqlite/sqlite-connections';
import { StartRefusedError } from './start-refused.error';

/** Maximum time that a write waits for its turn on the embedded database, in milliseconds. */
const MAX_SQLITE_WRITER_WAIT = 5000;
/**
 * How long SQLite itself waits for a lock of another process, in milliseconds. Zero, because the wait would block the event loop; a write
 * that finds a lock is retried after a pause.
 */
const SQLITE_BUSY_TIMEOUT = 0;
/** Maximum number of prepared statements of all connections; by default, a server allows 16,382 for all its clients. */
const MAX_PREPARED_STATEMENTS = 4000;
const MEMORY = 'sqlite::memory:';

type DatabaseSettings = Pick<Environment, 'DATABASE_URL' | 'DATABASE_POOL_SIZE'> &
  Partial<Pick<Environment, 'DATABASE_STATEMENT_TIMEOUT' | 'SEARCH_TIMEOUT'>>;
type Entities = (EntityTarget<ObjectLiteral> & (new () => unknown))[];

/**
 * Builds the data source of the application, the TypeORM CLI and the migration checks, without connecting it.
 * @param onlyReads whether it only reads: the embedded database while a service has it open, or a server that accepts no writes
 */
export function createDataSource(
  settings: DatabaseSettings,
  entities: Entities,
  onlyReads = false,
): DataSource {
  const dataSource = settings.DATABASE_URL.startsWith('sqlite:')
    ? createSqliteDataSource(settings, entities, onlyReads)
    : createServerDataSource(settings, entities, onlyReads);
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
  // A second connection cannot see an in-memory database, so "memory" is a private folder that is deleted at the end.
  const memoryFolder = url === MEMORY ? mkdtempSync(join(tmpdir(), 'project-management-')) : undefined;
  const dataSource = new DataSource({
    ...commonOptions(entities),
    type: 'better-sqlite3',
    driver: SqliteDatabase,
    database: memoryFolder ? join(memoryFolder, 'service.db') : url.slice('sqlite:'.length),
    timeout: SQLITE_BUSY_TIMEOUT,
    readonly: isBeside,
    prepareDatabase: async (database: SqliteDatabase) => {
      if (isBeside) return;
      await useWriteAheadLog(database, writerWait);
      // Until the commits are synced together (`LogSync`).
      database.pragma(`synchronous = ${memoryFolder ? 'OFF' : 'FULL'}`);
    },
  });
  const claim = memoryFolder || isBeside ? undefined : { syncWait: seconds * 1000 };
  useSeparateSqliteConnections(dataSource, writerWait, claim);
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

function createServerDataSource(
  settings: DatabaseSettings,
  entities: Entities,
  onlyReads: boolean,
): DataSource {
  const url = parseServerUrl(settings.DATABASE_URL);
  if (!url) throw new StartRefusedError('DATABASE_URL cannot be read.');
  const dataSource = new DataSource(serverOptions(settings, url, entities));
  usePreparedStatements(dataSource);
  useServers(dataSource, url, onlyReads);
  return dataSource;
}

function serverOptions(
  { DATABASE_POOL_SIZE: poolSize }: DatabaseSettings,
  { type, servers, username, password, database, ...url }: ServerUrl,
  entities: Entities,
): DataSourceOptions {
  return {
    ...commonOptions(entities),
    // On MariaDB, the type `mysql` reports schema drift that does not exist (`docs/decisions/0010-database-engines.md`).
    type,
    ...servers[0],
    username,
    password,
    database,
    ssl: tlsOptions(url, servers),
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    bigNumberStrings: false,
    // Short enough to try another server within the timeout of a statement.
    connectTimeout: servers.length > 1 ? 2000 : 5000,
    extra: {
      // Capturing a stack for each statement, in case it fails, costs more than some statements.
      trace: false,
      // Twice the number kept: the driver must not evict a statement that counts as prepared.
      maxPreparedStatements: 2 * Math.max(10, Math.floor(MAX_PREPARED_STATEMENTS / poolSize)),
    } satisfies ServerExtra,
    poolSize,
  };
}

/** @throws StartRefusedError if the certificate authority's file cannot be read */
function tlsOptions(
  { isEncrypted, authorityFile }: Pick<ServerUrl, 'isEncrypted' | 'authorityFile'>,
  servers: ServerUrl['servers'],
): { ca?: string; verifyIdentity: boolean } | undefined {
  if (!isEncrypted) return undefined;
  // The driver checks names against the certificate, but not addresses.
  const verifyIdentity = servers.every(({ host }) => isIP(host) === 0);
  if (authorityFile === undefined) return { verifyIdentity };
  try {
    return { ca: readFileSync(authorityFile, 'utf8'), verifyIdentity };
  } catch (error) {
    throw new StartRefusedError(`The file that ssl-ca names cannot be read: ${(error as Error).message}`);
  }
}
