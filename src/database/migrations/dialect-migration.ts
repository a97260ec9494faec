import { type MigrationInterface, type QueryRunner } from 'typeorm';
import { runStatements, withdrawReverted } from '../migrating/migration-progress';
import { isEmbedded } from '../sql/statements';

/** SQL statements for one kind of database, in order. */
interface Statements {
  up: readonly string[];
  down: readonly string[];
}

/**
 * A migration with the same name and order on every database, and separate statements for each dialect. On a server, the statements run one
 * by one and may be resumed at any of them: a statement that changes rows must change nothing else.
 */
export abstract class DialectMigration implements MigrationInterface {
  abstract readonly name: string;
  /**
   * Whether processes of versions without this migration can serve beside it: every statement of theirs still succeeds, and nothing that
   * this version relies on goes missing. Otherwise they stop before it runs.
   */
  readonly allowsOlder: boolean = false;
  protected abstract readonly sqlite: Pick<Statements, 'up'>;
  protected abstract readonly mysql: Statements;

  async up(queryRunner: QueryRunner): Promise<void> {
    if (isEmbedded(queryRunner.dataSource)) {
      for (const statement of this.sqlite.up) await queryRunner.query(statement);
    } else {
      await runStatements(queryRunner, this.name, this.mysql.up);
    }
  }

  /** @throws Error on the embedded database: SQLite replaces tables, which inside a transaction also deletes the rows that refer to them */
  async down(queryRunner: QueryRunner): Promise<void> {
    if (isEmbedded(queryRunner.dataSource)) {
      throw new Error('The embedded database does not go back; use the copy of its file from before.');
    }
    for (const statement of this.mysql.down) await queryRunner.query(statement);
    await withdrawReverted(queryRunner, this.name);
  }
}
