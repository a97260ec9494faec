import { type QueryRunner } from 'typeorm';
import { type Table } from '../../database/schema/tables';
import { type PortableRow } from '../../database/snapshot/snapshot';
import { isEmbedded, quoted } from '../../database/sql/statements';

/** Number of rows per statement. Remaining rows are sent one by one, so that each table has two statements and both stay prepared. */
const BATCH_ROWS = 100;
/** Maximum size of a batch; by default, servers accept 16 MiB. */
const BATCH_BYTES = 1024 * 1024;

/** Fills tables in any order: references are not checked before all rows are inserted. */
export class TableLoader {
  constructor(private readonly queryRunner: QueryRunner) {}

  async begin(): Promise<void> {
    if (this.isEmbedded) await this.queryRunner.beforeMigration();
    else await this.queryRunner.query('SET SESSION foreign_key_checks = 0');
  }

  async end(): Promise<void> {
    if (this.isEmbedded) await this.queryRunner.afterMigration();
    else await this.queryRunner.query('SET SESSION foreign_key_checks = 1');
  }

  /** Inserts rows, one per line, in one transaction. */
  async load(table: Table, lines: readonly string[]): Promise<void> {
    await this.queryRunner.startTransaction();
    try {
      for (let start = 0; start < lines.length; start += BATCH_ROWS) {
        await this.insert(table, lines.slice(start, start + BATCH_ROWS));
      }
      await this.queryRunner.commitTransaction();
    } catch (error) {
      if (this.queryRunner.isTransactionActive) await this.queryRunner.rollbackTransaction();
      throw error;
    }
  }

  /** Makes a table generate only ids after `lastId`. */
  async continueAfter(table: string, lastId: number): Promise<void> {
    if (!this.isEmbedded) {
      await this.queryRunner.query(`ALTER TABLE ${quoted(table)} AUTO_INCREMENT = ${Math.floor(lastId) + 1}`);
      return;
    }
    const rows = (await this.queryRunner.query('SELECT 1 FROM sqlite_sequence WHERE name = ?', [
      table,
    ])) as unknown[];
    const sql =
      rows.length === 0
        ? 'INSERT INTO sqlite_sequence (seq, name) VALUES (?, ?)'
        : 'UPDATE sqlite_sequence SET seq = MAX(seq, ?) WHERE name = ?';
    await this.queryRunner.query(sql, [lastId, table]);
  }

  private async insert(table: Table, lines: readonly string[]): Promise<void> {
    const bytes = lines.reduce((sum, line) => sum + line.length, 0);
    const isBatch = lines.length === BATCH_ROWS && bytes <= BATCH_BYTES;
    const rows = lines.map((line) => JSON.parse(line) as PortableRow);
    const names = table.columns.map(({ name }) => name);
    const valuesOf = (row: PortableRow): PortableRow[string][] => names.map((name) => row[name] ?? null);
    const head = `INSERT INTO ${quoted(table.name)} (${names.map(quoted).join(',')}) VALUES `;
    const tuple = `(${names.map(() => '?').join(',')})`;
    if (isBatch) {
      await this.queryRunner.query(
        head + Array<string>(rows.length).fill(tuple).join(','),
        rows.flatMap(valuesOf),
      );
    } else {
      for (const row of rows) await this.queryRunner.query(head + tuple, valuesOf(row));
    }
  }

  private get isEmbedded(): boolean {
    return isEmbedded(this.queryRunner.dataSource);
  }
}
