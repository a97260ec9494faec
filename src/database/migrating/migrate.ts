import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource } from 'typeorm';
import { isRetryable } from '../connections/database-errors';
import { isLeaseHeld, MigrationLease } from './migration-lease';
import { type DialectMigration } from '../migrations/dialect-migration';
import {
  announcedMigration,
  begunMigration,
  MigrationLostError,
  MigrationProgress,
  type MigrationStep,
} from './migration-progress';
import { StartRefusedError } from '../connections/start-refused.error';
import { isEmbedded } from '../sql/statements';
import { refuseUnfinishedRestore } from './unfinished-restore';

const POLL_MS = 200;
/** Maximum number of attempts at a migration that conflicts with other processes. */
const MAX_ATTEMPTS = 100;

/** Options for sharing migrations among processes; times are in milliseconds. */
export interface MigrationOptions {
  /** Logs what startup is waiting for and what it resumes. */
  log: (line: string) => void;
  /** Time after which another process takes over from one that has died. */
  leaseMs: number;
  /** Interval at which the log repeats what startup is waiting for. */
  reportMs: number;
  /** Time in which processes of older versions notice that they must stop. */
  noticeMs: number;
}

const DEFAULTS: MigrationOptions = { log: () => undefined, leaseMs: 10_000, reportMs: 3000, noticeMs: 2000 };

/**
 * Migrates the schema to the current version. On the embedded database, each migration is one transaction. On a server, a migration may
 * stop at any statement and be resumed there; if several processes start at once, one migrates and the others wait for it.
 * @returns the migrations that were missing
 * @throws StartRefusedError if a newer version has migrated the database, or a restore into it is unfinished
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
 * Returns the names of this version's migrations that have not run, oldest first. Writes nothing.
 * @throws StartRefusedError if a newer version has migrated the database, or a restore into it is unfinished
 */
export async function pendingMigrations(dataSource: DataSource): Promise<string[]> {
  if (!isEmbedded(dataSource)) await refuseUnfinishedRestore(dataSource);
  const { pending, unknown } = await schemaState(dataSource);
  const superseding = await supersedingMigration(dataSource);
  if (unknown.length === 0 && superseding !== undefined) unknown.push(superseding);
  if (unknown.length === 0) return pending;
  throw new StartRefusedError(
    `The database has been migrated by a newer version, which this one does not know (${unknown.join(', ')}): ` +
      'start that version or a later one, or restore a backup from before the upgrade.',
  );
}

/**
 * Returns the migration of a newer version that this version cannot serve beside, even before it has run; undefined if there is none.
 */
export async function supersedingMigration(dataSource: DataSource): Promise<string | undefined> {
  if (isEmbedded(dataSource)) return undefined;
  const announced = await announcedMigration(dataSource);
  if (announced === undefined || migrationNames(dataSource).includes(announced)) return undefined;
  return (await hasNewerStarted(dataSource)) ? announced : undefined;
}

/**
 * Whether a newer version has begun to migrate, or is about to. Without either, its process has died after its announcement, and the next
 * one lets older processes stop again. In this order, so that a migration that ends meanwhile is not missed.
 */
async function hasNewerStarted(dataSource: DataSource): Promise<boolean> {
  if (await isLeaseHeld(dataSource)) return true;
  const begun = await begunMigration(dataSource);
  if (begun !== undefined && !migrationNames(dataSource).includes(begun)) return true;
  return (await schemaState(dataSource)).unknown.length > 0;
}

/** Whether every migration of this version has run. Writes nothing. */
export const isMigrated = async (dataSource: DataSource): Promise<boolean> =>
  (await schemaState(dataSource)).pending.length === 0;

/** Migrates a server and resumes after conflicts: on a cluster, any statement may lose against one of another process. */
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
      // Startup must fail with the original error.
      await lease.close().catch((error: unknown) => {
        options.log(`The lease on the migration could not be released: ${String(error)}`);
      });
    }
  }
}

/** Waits for the lease. @returns whether the schema has become current in the meantime */
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

/** Migrates while the lease is held. @returns false if another process has taken over */
async function run(
  dataSource: DataSource,
  lease: MigrationLease,
  progress: MigrationProgress,
  { log, reportMs, noticeMs }: MigrationOptions,
): Promise<boolean> {
  const left = await progress.read();
  if (left) log(`Resuming an interrupted migration${describe(left)}`);
  await progress.takeOver(() => lease.isHeld, { log, reportMs });
  try {
    await stopOlder(dataSource, progress, { log, noticeMs });
    await dataSource.runMigrations();
    return true;
  } catch (error) {
    if (lease.isHeld && !(error instanceof MigrationLostError)) {
      // A retry follows at once, for which the older processes have stopped.
      if (!isRetryable(error)) await correctAnnouncement(dataSource, progress, log);
      throw error;
    }
    log(`Another process has taken over the migration: ${String(error)}`);
    return false;
  } finally {
    progress.giveUp();
  }
}

/** Lets the processes of older versions stop before the schema becomes one that they cannot serve. */
async function stopOlder(
  dataSource: DataSource,
  progress: MigrationProgress,
  { log, noticeMs }: Pick<MigrationOptions, 'log' | 'noticeMs'>,
): Promise<void> {
  const { pending } = await schemaState(dataSource);
  const breaking = (dataSource.migrations as DialectMigration[])
    .filter(({ name, allowsOlder }) => pending.includes(name) && !allowsOlder)
    .map(({ name }) => name);
  const newest = breaking.at(-1);
  if (newest === undefined) return;
  await progress.announce(newest);
  const isEmpty = pending.length === dataSource.migrations.length;
  // An earlier announcement may be that of a process that died before they had noticed.
  const haveStopped = breaking.includes((await begunMigration(dataSource)) ?? '');
  if (isEmpty || haveStopped) return;
  log(`Processes of older versions stop now, before the migration ${newest}`);
  await sleep(noticeMs);
}

/** Lets older versions start again if the migration has failed before anything that they cannot serve beside has run. */
async function correctAnnouncement(
  dataSource: DataSource,
  progress: MigrationProgress,
  log: MigrationOptions['log'],
): Promise<void> {
  try {
    const { pending } = await schemaState(dataSource);
    const begun = await begunMigration(dataSource);
    const standing = (dataSource.migrations as DialectMigration[]).findLast(
      ({ name, allowsOlder }) => !allowsOlder && (!pending.includes(name) || name === begun),
    );
    await progress.correctAnnouncement(standing?.name);
  } catch (error) {
    // Startup must fail with the original error.
    log(`The announcement of the migration could not be withdrawn: ${String(error)}`);
  }
}

const migrationNames = ({ migrations }: DataSource): string[] =>
  migrations.map(({ name, constructor }) => name ?? constructor.name);

const describe = (step: MigrationStep | undefined): string =>
  step ? ` (${step.migration}, statement ${step.statement + 1})` : '';

/** Compares the table of migrations with the migrations of this version. */
async function schemaState(dataSource: DataSource): Promise<{ pending: string[]; unknown: string[] }> {
  const known = migrationNames(dataSource);
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
