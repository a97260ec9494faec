import { type DataSource } from 'typeorm';
import { entities } from '../../app.entities';
import { createDataSource } from '../../database/connections/data-source';
import { MigrationLease } from '../../database/migrating/migration-lease';
import { withdrawAnnouncement } from '../../database/migrating/migration-progress';
import { quoted } from '../../database/sql/statements';
import { UNFINISHED_RESTORE } from '../../database/migrating/unfinished-restore';
import { BackupError } from '../backup.error';
import { type RestoreTarget, type TargetSettings } from './restore-target';

const LEASE_MS = 10_000;
/** Tables that a process waiting for its turn to migrate has already created. */
const LEASE_TABLES = new Set(['migration_lease', 'migration_progress']);

/** @throws BackupError if the database has tables that do not come from an unfinished restore */
export async function refuseOccupiedServer(settings: TargetSettings): Promise<void> {
  const dataSource = await createDataSource(settings, []).initialize();
  try {
    await refuseTables(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

/**
 * Opens a server's database and adds a table that keeps every process from using it until the restore has ended. The next restore removes
 * what a killed one has created. The migration lease prevents concurrent restores.
 */
export async function openServerTarget(settings: TargetSettings): Promise<RestoreTarget> {
  const dataSource = await createDataSource(settings, entities).initialize();
  let lease: MigrationLease | undefined;
  const disconnect = async (): Promise<void> => {
    await lease?.close();
    await dataSource.destroy();
  };
  try {
    lease = await MigrationLease.open(dataSource, LEASE_MS);
    const held = lease;
    if (!(await held.take())) {
      throw new BackupError(
        'Another process is migrating this database or restoring into it: wait until it ends.',
      );
    }
    await refuseTables(dataSource);
    await dataSource.query(
      `CREATE TABLE IF NOT EXISTS ${UNFINISHED_RESTORE} (id integer NOT NULL PRIMARY KEY)`,
    );
    await dropTables(dataSource, UNFINISHED_RESTORE);
    await withdrawAnnouncement(dataSource);
    return {
      dataSource,
      settings,
      isHeld: () => held.isHeld,
      commit: async () => {
        // From here, the lease lasts longer than the statement.
        if (!(await held.renew())) throw takenOver();
        await dataSource.query(`DROP TABLE ${UNFINISHED_RESTORE}`);
        await disconnect();
      },
      abandon: async () => {
        try {
          if (held.isHeld) await dropTables(dataSource);
        } finally {
          await disconnect();
        }
      },
    };
  } catch (error) {
    await disconnect();
    throw error;
  }
}

/** The error of a restore whose database another process has taken over. */
export const takenOver = (): BackupError =>
  new BackupError('Another process has taken over the database: run it again.');

async function refuseTables(dataSource: DataSource): Promise<void> {
  const tables = await tablesOf(dataSource);
  if (tables.includes(UNFINISHED_RESTORE) || tables.every((table) => LEASE_TABLES.has(table))) return;
  throw new BackupError(
    'The database of DATABASE_URL is not empty: a backup can only be restored into an empty one. Create another database, or drop its tables.',
  );
}

/** Drops all tables except those of the lease and `kept`. */
async function dropTables(dataSource: DataSource, kept?: string): Promise<void> {
  const tables = (await tablesOf(dataSource)).filter((table) => !LEASE_TABLES.has(table) && table !== kept);
  // The table that blocks the use of the others is dropped last.
  tables.sort((a, b) => Number(a === UNFINISHED_RESTORE) - Number(b === UNFINISHED_RESTORE));
  // A pool may have a single connection.
  const queryRunner = dataSource.createQueryRunner();
  try {
    await queryRunner.query('SET SESSION foreign_key_checks = 0');
    for (const table of tables) await queryRunner.query(`DROP TABLE ${quoted(table)}`);
    await queryRunner.query('SET SESSION foreign_key_checks = 1');
  } finally {
    await queryRunner.release();
  }
}

async function tablesOf(dataSource: DataSource): Promise<string[]> {
  const rows = await dataSource.query<{ name: string }[]>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'`,
  );
  return rows.map(({ name }) => name);
}
