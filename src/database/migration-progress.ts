import { randomUUID } from 'node:crypto';
import { type DataSource, type QueryRunner } from 'typeorm';
import { driverErrorOf, isDuplicate, isUnavailable } from './database-errors';

/** Thrown when another process has taken over the migration. */
export class MigrationLostError extends Error {
  constructor() {
    super('Another process has taken the migration over.');
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

/** The migrating process. */
interface Holder {
  /** Name of the process in the table. */
  name: string;
  isStillHolding: () => boolean;
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
        "INSERT INTO migration_progress (id, holder, migration, statement, in_doubt) VALUES (1, '', '', 0, 0)",
      );
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
  }

  /**
   * Makes this process the migrating one.
   * @param isStillHolding called before each statement
   */
  async takeOver(isStillHolding: () => boolean): Promise<void> {
    const name = randomUUID();
    await this.dataSource.query('UPDATE migration_progress SET holder = ? WHERE id = 1', [name]);
    holders.set(this.dataSource, { name, isStillHolding });
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
  let { statement: next, isInDoubt } = await run.begin();
  for (; next < statements.length; next++) {
    await run.step(next, statements[next] as string, isInDoubt);
    isInDoubt = false;
  }
  await run.end();
}

class ResumableRun {
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
      await this.queryRunner.query('START TRANSACTION');
      await this.queryRunner.query(statement);
      await this.note(this.migration, position + 1);
      await this.queryRunner.query('COMMIT');
      return;
    }
    try {
      await this.queryRunner.query(statement);
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
         WHERE constraint_schema = DATABASE() AND constraint_name = ?`,
      [name],
    )) as unknown[];
    return rows.length > 0;
  }
}
