import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { isDuplicate, isRetryable } from './database-errors';
import { affectedRows } from './statements';

const LEASE_MS = 120_000;
const POLL_MS = 200;

/**
 * Brings the schema up to date. Of several processes that start at once on an empty or old database one migrates and the
 * others wait for it: data definition is not transactional on MySQL, so two would meet half-made tables.
 */
export async function migrateDatabase(dataSource: DataSource): Promise<void> {
  if (await isMigrated(dataSource)) return;
  while (!(await takeLease(dataSource))) {
    await sleep(POLL_MS);
    if (await isMigrated(dataSource)) return;
  }
  try {
    await dataSource.runMigrations();
  } finally {
    await dataSource.query('UPDATE migration_lease SET expires = 0 WHERE id = 1');
  }
}

/** Whether every migration of this version has run; writes nothing. */
export async function isMigrated(dataSource: DataSource): Promise<boolean> {
  const table = dataSource.options.migrationsTableName ?? 'migrations';
  if (!(await hasTable(dataSource, table))) return false;
  const rows = await dataSource.query<{ name: string }[]>(
    `SELECT name FROM ${dataSource.driver.escape(table)}`,
  );
  const applied = new Set(rows.map((row) => row.name));
  return dataSource.migrations.every(({ name, constructor }) => applied.has(name ?? constructor.name));
}

async function hasTable(dataSource: DataSource, table: string): Promise<boolean> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    return await queryRunner.hasTable(table);
  } finally {
    await queryRunner.release();
  }
}

/** Whether this process is the one that migrates now. */
async function takeLease(dataSource: DataSource): Promise<boolean> {
  try {
    await dataSource.query(
      'CREATE TABLE IF NOT EXISTS migration_lease (id integer NOT NULL PRIMARY KEY, expires bigint NOT NULL)',
    );
    await insertLeaseRow(dataSource);
    const now = Date.now();
    const sql = 'UPDATE migration_lease SET expires = ? WHERE id = 1 AND expires < ?';
    return await dataSource.transaction(
      async (manager) => (await affectedRows(manager, sql, [now + LEASE_MS, now])) === 1,
    );
  } catch (error) {
    // Whoever migrates holds the writer of the embedded database meanwhile.
    if (isRetryable(error)) return false;
    throw error;
  }
}

async function insertLeaseRow(dataSource: DataSource): Promise<void> {
  try {
    await dataSource.query('INSERT INTO migration_lease (id, expires) VALUES (1, 0)');
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}
