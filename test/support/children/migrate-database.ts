import { once } from 'node:events';
import { type DataSource } from 'typeorm';
import { createDataSource } from '../../../src/database/connections/data-source';
import { entities } from '../../../src/app.entities';
import { isMigrated, migrateDatabase } from '../../../src/database/migrating/migrate';
import { migrationStatements } from '../migration-breaks';

/**
 * Connects and migrates when its standard input ends; prints `ready` before, and the result afterwards.
 * @param hangsAt number of migration statements to run before it prints `hangs` and blocks
 */
async function migrate(url: string, hangsAt: number): Promise<void> {
  const dataSource = createDataSource({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }, entities);
  process.stdout.write('ready\n');
  await once(process.stdin.resume(), 'end');
  await dataSource.initialize();
  hangAt(dataSource, hangsAt);
  await migrateDatabase(dataSource);
  process.stdout.write((await isMigrated(dataSource)) ? 'migrated\n' : 'not migrated\n');
  await dataSource.destroy();
}

function hangAt(dataSource: DataSource, statement: number): void {
  let left = statement;
  const logQuery = dataSource.logger.logQuery.bind(dataSource.logger);
  const statements = new Set(migrationStatements(dataSource.options.type === 'better-sqlite3'));
  dataSource.logger.logQuery = (sql, ...rest) => {
    if (statements.has(sql) && left-- === 0) {
      process.stdout.write('hangs\n');
      // Blocks the whole process, including the renewal of the lease.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    }
    logQuery(sql, ...rest);
  };
}

migrate(process.argv[2] as string, Number(process.argv[3] ?? Infinity)).catch((error: unknown) => {
  process.stdout.write(`failed: ${String(error)}\n`);
});
