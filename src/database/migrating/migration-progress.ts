import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DataSource, type QueryRunner } from 'typeorm';
import { driverErrorOf, isDuplicate, isRetryable, isUnavailable } from '../connections/database-errors';
import { type StatementRunner } from '../sql/statements';

/** Thrown when another process has taken over the migration. */
export class MigrationLostError extends Error {
  constructor() {
    super('Another process has taken over the migration.');
  }
}

/** Progress of a migration. */
export interface MigrationStep {
  /** Name of the migration; empty if none is in progress. */
  migration: string;
  /** Index of the statement that is next or running. */
  statement: number;
}

interface ProgressRow extends MigrationStep {
  isInDoubt: number;
}

/** Matches statements that only change rows, so that one transaction can hold both the statement and its progress. */
const CHANGES_ROWS = /^\s*(?:insert|update|delete|replace)\b/i;
/** Errors for something to be created that exists, or something to be dropped that does not. */
const DONE_NUMBERS = new Set([1022, 1050, 1051, 1060, 1061, 1068, 1091, 1826]);
/** The same for renames: the old name is unknown. */
const RENAMES = /^\s*(?:rename|alter\s.*\b(?:change|rename)\b)/i;
const RENAMED_NUMBERS = new Set([1054, 1146, 1176]);
/** MariaDB's error for a foreign key that already exists, and for some that cannot be created. */
const CANNOT_CREATE_TABLE = 1005;

/** The row of the migration in progress. */
const PROGRESS = 1;
/** The row of the newest migration that older versions cannot serve beside; its other columns are unused. */
const ANNOUNCEMENT = 2;
/**
 * How long a statement waits for transactions that use its table, in seconds. All other statements on the table wait behind it, including
 * those that must end for it to succeed.
 */
const LOCK_WAIT_S = 1;
/** How long a statement that changes rows waits for one of them, in seconds: only transactions that change the same rows wait behind it. */
const ROW_WAIT_S = 5;
/** Pause before the next attempt, in milliseconds, during which the others continue. */
const LOCK_PAUSE_MS = 1000;
const LOCK_WAIT_TIMEOUT = 1205;
const NO_SUCH_TABLE = 1146;
/** Captures the table that a statement of a migration changes first. */
const TABLE = /\b(?:table|on|update|into|from)\s+(?:if\s+(?:not\s+)?exists\s+)?`?(\w+)/i;

/** The migrating process. */
interface Holder {
  /** Name of the process in the table. */
  name: string;
  isStillHolding: () => boolean;
  reporter: MigrationReporter;
}

/** Where a migration reports what it waits for. */
export interface MigrationReporter {
  log: (line: string) => void;
  /** Interval at which a line is repeated, in milliseconds. */
  reportMs: number;
}

const holders = new WeakMap<DataSource, Holder>();

/**
 * Records the progress of migrations on a server, where DDL commits implicitly: a process that dies leaves the schema between two versions.
 * The next process resumes at the recorded statement, which may have already run. Writes of a process that has lost the migration to
 * another are rejected.
 */
export class MigrationProgress {
  constructor(private readonly dataSource: DataSource) {}

  /** Creates the table. */
  async prepare(): Promise<void> {
    await this.dataSource.query(
      `CREATE TABLE IF NOT EXISTS migration_progress (id integer NOT NULL PRIMARY KEY, holder varchar(36) NOT NULL,
         migration varchar(255) NOT NULL, statement integer NOT NULL, in_doubt integer NOT NULL)`,
    );
    try {
      await this.dataSource.query(
        "INSERT INTO migration_progress (id, holder, migration, statement, in_doubt) VALUES (?, '', '', 0, 0)",
        [PROGRESS],
      );
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }

  /**
   * Makes this process the migrating one.
   * @param isStillHolding called before each statement
   */
  async takeOver(isStillHolding: () => boolean, reporter: MigrationReporter): Promise<void> {
    const name = randomUUID();
    await this.dataSource.query('UPDATE migration_progress SET holder = ? WHERE id = 1', [name]);
    holders.set(this.dataSource, { name, isStillHolding, reporter });
  }

  /** Tells the processes of versions that do not know a migration to stop, because they cannot serve beside it. */
  async announce(migration: string): Promise<void> {
    await this.dataSource.query(
      "REPLACE INTO migration_progress (id, holder, migration, statement, in_doubt) VALUES (?, '', ?, 0, 0)",
      [ANNOUNCEMENT, migration],
    );
  }

  /**
   * Corrects the announcement after a failure, while this process is still the migrating one.
   * @param migration the newest migration that older versions cannot serve beside, of those that have run or begun
   */
  async correctAnnouncement(migration: string | undefined): Promise<void> {
    await this.dataSource.query(
      migration === undefined
        ? `DELETE a FROM migration_progress a JOIN migration_progress p ON p.id = ? AND p.holder = ? WHERE a.id = ?`
        : `UPDATE migration_progress a JOIN migration_progress p ON p.id = ? AND p.holder = ? SET a.migration = ?
             WHERE a.id = ?`,
      [
        PROGRESS,
        holders.get(this.dataSource)?.name ?? '',
        ...(migration === undefined ? [] : [migration]),
        ANNOUNCEMENT,
      ],
    );
  }

  /** Marks this process as no longer migrating. */
  giveUp(): void {
    holders.delete(this.dataSource);
  }

  /** Returns the progress of the migrating process. */
  async read(): Promise<MigrationStep | undefined> {
    const rows = await this.dataSource.query<MigrationStep[]>(
      'SELECT migration, statement FROM migration_progress WHERE id = 1',
    );
    return rows.find(({ migration }) => migration !== '');
  }
}

/** Returns the newest migration of a server that versions which do not know it cannot serve beside; undefined if there is none. */
export async function announcedMigration(runner: StatementRunner): Promise<string | undefined> {
  try {
    const [row] = await runner.query<{ migration: string }[]>(
      'SELECT migration FROM migration_progress WHERE id = ?',
      [ANNOUNCEMENT],
    );
    return row?.migration;
  } catch (error) {
    if (driverErrorOf(error).errno === NO_SUCH_TABLE) return undefined;
    throw error;
  }
}

/** Returns the migration in progress on a server if any of its statements has run, or may have. */
export async function begunMigration(runner: StatementRunner): Promise<string | undefined> {
  const [row] = await runner.query<{ migration: string }[]>(
    "SELECT migration FROM migration_progress WHERE id = 1 AND migration <> '' AND (statement > 0 OR in_doubt = 1)",
  );
  return row?.migration;
}

/** Withdraws an announcement in the previous content of a database. */
export async function withdrawAnnouncement(runner: StatementRunner): Promise<void> {
  if ((await announcedMigration(runner)) === undefined) return;
  await runner.query('DELETE FROM migration_progress WHERE id = ?', [ANNOUNCEMENT]);
}

/** Withdraws the announcement of a migration that has been reverted. */
export async function withdrawReverted(runner: StatementRunner, migration: string): Promise<void> {
  if ((await announcedMigration(runner)) === migration) await withdrawAnnouncement(runner);
}

/**
 * Runs the statements of a migration on a server. Under `migrateDatabase`, resumes an interrupted migration and leaves a transaction open,
 * in which TypeORM records the migration. Under TypeORM's own commands, runs the statements one after the other.
 * @throws MigrationLostError
 */
export async function runStatements(
  queryRunner: QueryRunner,
  migration: string,
  statements: readonly string[],
): Promise<void> {
  const holder = holders.get(queryRunner.dataSource);
  if (holder === undefined) {
    for (const statement of statements) await queryRunner.query(statement);
    return;
  }
  const run = new ResumableRun(queryRunner, holder, migration);
  await withLockWaits(queryRunner, { tables: LOCK_WAIT_S, rows: ROW_WAIT_S }, async () => {
    let { statement: next, isInDoubt } = await run.begin();
    for (; next < statements.length; next++) {
      await run.step(next, statements[next] as string, isInDoubt);
      isInDoubt = false;
    }
    await run.end();
  });
}

/** How long the statements of a session wait for locks, in seconds. */
interface LockWaits {
  tables: number;
  rows: number;
}

/** Runs work with other lock waits of the session, which belongs to a pool and keeps its own afterwards. */
async function withLockWaits(
  queryRunner: QueryRunner,
  waits: LockWaits,
  work: () => Promise<void>,
): Promise<void> {
  const [own] = (await queryRunner.query(
    'SELECT @@SESSION.lock_wait_timeout AS `tables`, @@SESSION.innodb_lock_wait_timeout AS `rows`',
  )) as [LockWaits];
  await setLockWaits(queryRunner, waits);
  try {
    await work();
  } finally {
    try {
      await setLockWaits(queryRunner, own);
    } catch {
      // The connection is lost, and its session with it.
    }
  }
}

const setLockWaits = (queryRunner: QueryRunner, { tables, rows }: LockWaits): Promise<unknown> =>
  queryRunner.query(`SET SESSION lock_wait_timeout = ${tables}, innodb_lock_wait_timeout = ${rows}`);

class ResumableRun {
  private nextReport = 0;

  constructor(
    private readonly queryRunner: QueryRunner,
    private readonly holder: Holder,
    private readonly migration: string,
  ) {}

  async begin(): Promise<{ statement: number; isInDoubt: boolean }> {
    const [left] = (await this.queryRunner.query(
      'SELECT migration, statement, in_doubt AS isInDoubt FROM migration_progress WHERE id = 1',
    )) as ProgressRow[];
    if (left?.migration === this.migration) {
      return { statement: left.statement, isInDoubt: left.isInDoubt === 1 };
    }
    await this.note(this.migration, 0);
    return { statement: 0, isInDoubt: false };
  }

  async step(position: number, statement: string, isInDoubt: boolean): Promise<void> {
    if (!this.holder.isStillHolding()) throw new MigrationLostError();
    if (CHANGES_ROWS.test(statement)) {
      await this.changeRows(position, statement);
      return;
    }
    try {
      await this.runWithLockWaits(position, statement);
    } catch (error) {
      if (!isInDoubt || !(await this.isDone(statement, error))) {
        await this.noteRefused(error);
        throw error;
      }
    }
    await this.note(this.migration, position + 1);
  }

  /** Begins the transaction in which TypeORM records that the migration has run. */
  async end(): Promise<void> {
    await this.queryRunner.query('START TRANSACTION');
    await this.note('', 0);
  }

  /** Changes rows and records this in one transaction, again after each conflict with another one, up to its commit. */
  private async changeRows(position: number, statement: string): Promise<void> {
    for (;;) {
      try {
        await this.queryRunner.query('START TRANSACTION');
        await this.queryRunner.query(statement);
        await this.note(this.migration, position + 1);
        await this.queryRunner.query('COMMIT');
        return;
      } catch (error) {
        await this.rollBack();
        if (!isRetryable(error)) {
          if (!(error instanceof MigrationLostError)) await this.noteRefused(error);
          throw error;
        }
      }
      await this.waitForOthers(position, statement);
    }
  }

  /** Ends the transaction after a failure, whose error is the one to report. */
  private async rollBack(): Promise<void> {
    try {
      await this.queryRunner.query('ROLLBACK');
    } catch {
      // The connection is lost, and the transaction with it.
    }
  }

  /** Runs a statement, again until the transactions that use its table have ended. After other conflicts, the migration is resumed. */
  private async runWithLockWaits(position: number, statement: string): Promise<void> {
    for (;;) {
      try {
        await this.queryRunner.query(statement);
        return;
      } catch (error) {
        if (driverErrorOf(error).errno !== LOCK_WAIT_TIMEOUT) throw error;
      }
      await this.waitForOthers(position, statement);
    }
  }

  private async waitForOthers(position: number, statement: string): Promise<void> {
    await this.reportWait(position, statement);
    await sleep(LOCK_PAUSE_MS);
    if (!this.holder.isStillHolding()) throw new MigrationLostError();
  }

  private async reportWait(position: number, statement: string): Promise<void> {
    const { log, reportMs } = this.holder.reporter;
    if (Date.now() < this.nextReport) return;
    this.nextReport = Date.now() + reportMs;
    const oldest = await this.findOldestTransaction();
    const whose = oldest
      ? `; the oldest transaction, of connection ${oldest.connection}, has run for ${oldest.seconds} s`
      : '';
    const table = TABLE.exec(statement)?.[1] ?? '';
    log(
      `Waiting for the transactions that use the table ${table} (${this.migration}, statement ${position + 1})${whose}`,
    );
  }

  /** Finds the oldest transaction of other connections, if the account is permitted to see it. */
  private async findOldestTransaction(): Promise<{ connection: number; seconds: number } | undefined> {
    try {
      const [oldest] = (await this.queryRunner.query(
        `SELECT trx_mysql_thread_id AS connection, TIMESTAMPDIFF(SECOND, trx_started, NOW()) AS seconds
           FROM information_schema.innodb_trx WHERE trx_mysql_thread_id <> CONNECTION_ID()
           ORDER BY trx_started LIMIT 1`,
      )) as { connection: number; seconds: number }[];
      return oldest;
    } catch (error) {
      if (isUnavailable(error)) throw error;
      return undefined;
    }
  }

  /** Records the next statement, which may have run from this point on. */
  private note(migration: string, statement: number): Promise<void> {
    return this.write('migration = ?, statement = ?, in_doubt = 1', [migration, statement]);
  }

  /** Records that the server rejected the statement and did not run it, so that the next process does not take an error for its success. */
  private async noteRefused(error: unknown): Promise<void> {
    if (isUnavailable(error)) return;
    await this.write('in_doubt = 0', []);
  }

  /** Writes the progress, provided this process is still the migrating one. */
  private async write(assignments: string, values: unknown[]): Promise<void> {
    const { affected } = await this.queryRunner.query(
      `UPDATE migration_progress SET ${assignments} WHERE id = 1 AND holder = ?`,
      [...values, this.holder.name],
      true,
    );
    if (affected !== 1) throw new MigrationLostError();
  }

  /** Whether an error shows that the statement had already run. */
  private async isDone(statement: string, error: unknown): Promise<boolean> {
    const { errno = 0 } = driverErrorOf(error);
    if (errno === CANNOT_CREATE_TABLE) return this.hasConstraint(statement);
    return DONE_NUMBERS.has(errno) || (RENAMES.test(statement) && RENAMED_NUMBERS.has(errno));
  }

  private async hasConstraint(statement: string): Promise<boolean> {
    const [, name] = /\bADD CONSTRAINT `(\w+)`/i.exec(statement) ?? [];
    const rows = (await this.queryRunner.query(
      `SELECT 1 FROM information_schema.table_constraints
         WHERE table_schema = DATABASE() AND constraint_name = ?`,
      [name],
    )) as unknown[];
    return rows.length > 0;
  }
}
