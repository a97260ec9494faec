import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** SQL for one kind of database, in order. */
interface Statements {
  up: readonly string[];
  down: readonly string[];
}

/** A migration with the same name and order on every database, and each dialect's own statements. */
export abstract class DialectMigration implements MigrationInterface {
  protected abstract readonly sqlite: Statements;
  protected abstract readonly mysql: Statements;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of this.statementsFor(queryRunner).up) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of this.statementsFor(queryRunner).down) await queryRunner.query(statement);
  }

  private statementsFor(queryRunner: QueryRunner): Statements {
    return queryRunner.dataSource.options.type === 'better-sqlite3' ? this.sqlite : this.mysql;
  }
}
