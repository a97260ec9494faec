import { randomUUID } from 'node:crypto';
import { type DataSource, type QueryRunner } from 'typeorm';
import { driverErrorOf, isDuplicate, isUnavailable } from './database-errors';

/** Another process has taken the migration over. */
export class MigrationLostError extends Error {
  constructor() {
    super('Another process has taken the migration over.');
  }
}

/** How far a migration has come. */
export interface MigrationStep {
  /** Its name; empty when none is under way. */
  migration: string;
  /** Position of the statement that is next, or being run. */
  statement: number;
}

interface ProgressRow extends MigrationStep {
  isInDoubt: number;
}

/** Statements that change rows and nothing else, which a transaction holds together with the note of them. */
const CHANGES_ROWS = /^\s*(?:insert|update|delete|replace)\b/i;
/** What is to be made is there, or what is to be dropped is not. */
const DONE_NUMBERS = new Set([1022, 1050, 1051, 1060, 1061, 1068, 1091, 1826]);
/** The same for what is to be renamed: the old name is unknown. */
const RENAMES = /^\s*(?:rename|alter\s.*\b(?:change|rename)\b)/i;
const RENAMED_NUMBERS = new Set([1054, 1146, 1176]);
/** MariaDB's for a foreign key that is there already, and for some that cannot be made. */
const CANNOT_CREATE_TABLE = 1005;

/** The process that migrates. */
interface Holder {
  /** What it calls itself in the table. */
  name: string;
  isStillHolding: () => boolean;
}

const holders = new WeakMap<DataSource, Holder>();

/**
 * Notes on a server how far its migrations have come, because data definition commits by itself there: a process that dies
 * leaves a schema between two versions. The next one goes on at the statement that stands in the table, which may have been
 * run. Notes of a process that another has taken the migration over from are refused.
 */
export class MigrationProgress {
  constructor(private readonly dataSource: DataSource) {}

  /** Makes the table. */
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
   * Makes this process the one that migrates.
   * @param isStillHolding asked before each statement
   */
  async takeOver(isStillHolding: () => boolean): Promise<void> {
    const name = randomUUID();
    await this.dataSource.query('UPDATE migration_progress SET holder = ? WHERE id = 1', [name]);
    holders.set(this.dataSource, { name, isStillHolding });
  }

  /** This process migrates no more. */
  giveUp(): void {
    holders.delete(this.dataSource);
  }

  /** Where the process that migrates is. */
  async read(): Promise<MigrationStep | undefined> {
    const rows = await this.dataSource.query<MigrationStep[]>(
      'SELECT migration, statement FROM migration_progress WHERE id = 1',
    );
    return rows.find(({ migration }) => migration !== '');
  }
}

/**
 * Runs the statements of a migration on a server. In the hands of `migrateDatabase` from where it was left, and leaving a
 * transaction open that TypeORM completes by noting the migration; otherwise, in TypeORM's own commands, one after the other.
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

  /** Begins the transaction in which TypeORM notes that the migration has run. */
  async end(): Promise<void> {
    await this.queryRunner.query('START TRANSACTION');
    await this.note('', 0);
  }

  /** Notes the statement that is next, which from here on may have been run. */
  private note(migration: string, statement: number): Promise<void> {
    return this.write('migration = ?, statement = ?, in_doubt = 1', [migration, statement]);
  }

  /** A statement that the server has refused was not run: the next process takes no error of it for its success. */
  private async noteRefused(error: unknown): Promise<void> {
    if (isUnavailable(error)) return;
    await this.write('in_doubt = 0', []);
  }

  /** Writes while this process is the one that migrates. */
  private async write(assignments: string, values: unknown[]): Promise<void> {
    const { affected } = await this.queryRunner.query(
      `UPDATE migration_progress SET ${assignments} WHERE id = 1 AND holder = ?`,
      [...values, this.holder.name],
      true,
    );
    if (affected !== 1) throw new MigrationLostError();
  }

  /** Whether an error says that the statement had been run before. */
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
