import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource, type MigrationInterface } from 'typeorm';
import { SqliteDatabase } from '../../src/database/sqlite/node-sqlite';
import { useSeparateSqliteConnections, useWriteAheadLog } from '../../src/database/sqlite/sqlite-connections';

/** A temporary folder for the database files of one test. */
export class TemporaryFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'project-management-test-'));

  file(name: string): string {
    return join(this.path, name);
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** The options of a test's data source that differ from the service's own. */
export interface SqliteTestOptions {
  busyTimeout?: number;
  migrations?: (new () => MigrationInterface)[];
  entities?: (new () => object)[];
}

/** Opens an embedded database without the service's entities. */
export async function openSqlite(file: string, options: SqliteTestOptions = {}): Promise<DataSource> {
  const { busyTimeout = 5000, migrations = [], entities = [] } = options;
  const dataSource = new DataSource({
    type: 'better-sqlite3',
    driver: SqliteDatabase,
    database: file,
    timeout: busyTimeout,
    migrations,
    entities,
    migrationsTransactionMode: 'each',
    prepareDatabase: (database: SqliteDatabase) => useWriteAheadLog(database, busyTimeout),
  });
  useSeparateSqliteConnections(dataSource, busyTimeout);
  await dataSource.initialize();
  return dataSource;
}
