import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { isRetryable } from './database-errors';
import { MigrationLease } from './migration-lease';
import { MigrationLostError, MigrationProgress, type MigrationStep } from './migration-progress';
import { StartRefusedError } from './start-refused.error';
import { isEmbedded } from './statements';
import { refuseUnfinishedRestore } from './unfinished-restore';

const POLL_MS = 200;
/** How often a migration is taken up again after a conflict with another process. */
const MAX_ATTEMPTS = 100;

/** How migrations are shared out among processes; times in milliseconds. */
export interface MigrationOptions {
  /** Is told what the start waits for, and what is taken up again. */
  log: (line: string) => void;
  /** After how long another process takes over from one that has died. */
  leaseMs: number;
  /** How often the log repeats what the start waits for. */
  reportMs: number;
}

const DEFAULTS: MigrationOptions = { log: () => undefined, leaseMs: 10_000, reportMs: 3000 };

/**
 * Brings the schema up to date. A migration of the embedded database is one transaction. On a server it can stop at any
 * statement and be taken up again there; of several processes that start at once one migrates and the others wait for it.
 * @returns the migrations that were missing
 * @throws StartRefusedError when a newer version has migrated the database, or a restore into it has not ended
 */
export async function migrateDatabase(
  dataSource: DataSource,
  options: Partial<MigrationOptions> = {},
): Promise<string[]> {
  const pending = await pendingMigrations(dataSource);
  if (pending.length === 0) return [];
  if (isEmbedded(dataSource)) await dataSource.runMigrations();
  else await migrateServer(dataSource, { ...DEFAULTS, ...options });
  return pending;
}

/**
 * The names of the migrations of this version that have not run, oldest first; writes nothing.
 * @throws StartRefusedError when a newer version has migrated the database, or a restore into it has not ended
 */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  if (!isEmbedded(dataSource)) await refuseUnfinishedRestore(dataSource);
  const { pending, unknown } = await schemaState(dataSource);
  if (unknown.length === 0) return pending;
  throw new StartRefusedError(
    `The database has been migrated by a newer version, which this one does not know (${unknown.join(', ')}): ` +
      'start that version or a later one, or restore a backup from before the upgrade.',
  );
}

/** Whether every migration of this version has run; writes nothing. */
export const isMigrated = async (dataSource: DataSource): Promise<boolean> =>
  (await schemaState(dataSource)).pending.length === 0;

/** On a cluster any statement may lose against another process's; the migration is then resumed. */
async function migrateServer(dataSource: DataSource, options: MigrationOptions): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await migrateInTurn(dataSource, options);
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRetryable(error)) throw error;
      options.log(`The migration is resumed after a conflict: ${String(error)}`);
      await sleep(Math.random() * POLL_MS);
    }
  }
}

async function migrateInTurn(dataSource: DataSource, options: MigrationOptions): Promise<void> {
  const progress = new MigrationProgress(dataSource);
  await progress.prepare();
  let isDone = false;
  while (!isDone) {
    const lease = await MigrationLease.open(dataSource, options.leaseMs);
    try {
      isDone =
        (await waitForTurn(dataSource, lease, progress, options)) ||
        (await run(dataSource, lease, progress, options));
    } finally {
      // What has gone wrong before is what the start fails with.
      await lease.close().catch((error: unknown) => {
        options.log(`The lease on the migration could not be given back: ${String(error)}`);
      });
    }
  }
}

/** Waits for the lease. @returns true when the schema has become current meanwhile */
async function waitForTurn(
  dataSource: DataSource,
  lease: MigrationLease,
  progress: MigrationProgress,
  { log, reportMs }: MigrationOptions,
): Promise<boolean> {
  let nextReport = 0;
  while (!(await lease.take())) {
    await refuseUnfinishedRestore(dataSource);
    if (await isMigrated(dataSource)) return true;
    if (Date.now() >= nextReport) {
      const step = describe(await progress.read());
      const seconds = Math.ceil((await lease.remainingMs()) / 1000);
      log(
        `Waiting for another process that migrates the database${step}; its lease ends in ${seconds} s unless renewed`,
      );
      nextReport = Date.now() + reportMs;
    }
    await sleep(POLL_MS);
  }
  return isMigrated(dataSource);
}

/** Migrates while the lease is held. @returns false when another process has taken over */
async function run(
  dataSource: DataSource,
  lease: MigrationLease,
  progress: MigrationProgress,
  { log }: MigrationOptions,
): Promise<boolean> {
  const left = await progress.read();
  if (left) log(`Going on with a migration that was interrupted${describe(left)}`);
  await progress.takeOver(() => lease.isHeld);
  try {
    await dataSource.runMigrations();
    return true;
  } catch (error) {
    if (lease.isHeld && !(error instanceof MigrationLostError)) throw error;
    log(`Another process has taken the migration over: ${String(error)}`);
    return false;
  } finally {
    progress.giveUp();
  }
}

const describe = (step: MigrationStep | undefined): string =>
  step ? ` (${step.migration}, statement ${step.statement + 1})` : '';

/** What stands in the table of migrations, compared with those of this version. */
async function schemaState(dataSource: DataSource): Promise<{ pending: string[]; unknown: string[] }> {
  const known = dataSource.migrations.map(({ name, constructor }) => name ?? constructor.name);
  const table = dataSource.options.migrationsTableName ?? 'migrations';
  if (!(await hasTable(dataSource, table))) return { pending: known, unknown: [] };
  const rows = await dataSource.query<{ name: string }[]>(
    `SELECT name FROM ${dataSource.driver.escape(table)}`,
  );
  const applied = new Set(rows.map((row) => row.name));
  return {
    pending: known.filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.includes(name)),
  };
}

async function hasTable(dataSource: DataSource, table: string): Promise<boolean> {
  const queryRunner = dataSource.createQueryRunner();
  try {
    return await queryRunner.hasTable(table);
  } finally {
    await queryRunner.release();
  }
}
