import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { isDuplicate } from './database-errors';
import { affectedRows } from './statements';

const LEASE_MS = 120_000;
const POLL_MS = 200;

/**
 * Brings the schema up to date. Of several processes that start at once on an empty or old database one migrates and the
 * others wait for it: data definition is not transactional on MySQL, so two would meet half-made tables.
 */
export async function migrateDatabase(dataSource: DataSource): Promise<void> {
  if (!(await dataSource.showMigrations())) return;
  await dataSource.query(
    'CREATE TABLE IF NOT EXISTS migration_lease (id integer NOT NULL PRIMARY KEY, expires bigint NOT NULL)',
  );
  await insertLeaseRow(dataSource);
  while (!(await takeLease(dataSource))) {
    await sleep(POLL_MS);
    if (!(await dataSource.showMigrations())) return;
  }
  try {
    await dataSource.runMigrations();
  } finally {
    await dataSource.query('UPDATE migration_lease SET expires = 0 WHERE id = 1');
  }
}

/** Whether every migration of this version has run. */
export async function isMigrated(dataSource: DataSource): Promise<boolean> {
  const table = dataSource.driver.escape(dataSource.options.migrationsTableName ?? 'migrations');
  const [row] = await dataSource.query<{ applied: number }[]>(`SELECT COUNT(*) AS applied FROM ${table}`);
  return Number(row?.applied) >= dataSource.migrations.length;
}

async function insertLeaseRow(dataSource: DataSource): Promise<void> {
  try {
    await dataSource.query('INSERT INTO migration_lease (id, expires) VALUES (1, 0)');
  } catch (error) {
    if (!isDuplicate(error)) throw error;
  }
}

function takeLease(dataSource: DataSource): Promise<boolean> {
  const now = Date.now();
  return dataSource.transaction(async (manager) => {
    const sql = 'UPDATE migration_lease SET expires = ? WHERE id = 1 AND expires < ?';
    return (await affectedRows(manager, sql, [now + LEASE_MS, now])) === 1;
  });
}
