import { rmSync } from 'node:fs';
import { SqliteDatabase, type SqliteStatement } from '../../database/sqlite/node-sqlite';

/** Ids from here on are given by the builder, and replaced by free ones when all records are known. */
export const FIRST_GIVEN_ID = 1e15;
/** Statements between two commits: one commit per record would take most of the time. */
const BATCH = 5000;
/** Records that are in memory at once. */
const READ_AT_ONCE = 100;

type KeyPart = string | number;

/** The values of the key of a record. */
export type Key = readonly [KeyPart, KeyPart?];

/**
 * The records of an archive that is being built, on disk: sources yield them in any order, and the archive has them in that of their keys.
 * The file belongs to one run; a repeated run builds it again from the answers.
 */
export class RecordSpool {
  private readonly database: SqliteDatabase;
  private readonly insert: SqliteStatement;
  private readonly found: SqliteStatement;
  private readonly next: SqliteStatement;
  private uncommitted = 0;

  /** @param path of the file, which is removed first */
  constructor(private readonly path: string) {
    this.remove();
    this.database = new SqliteDatabase(path);
    // A lost file is built again.
    this.database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -4096');
    this.database.exec(
      `CREATE TABLE spooled_record (kind TEXT NOT NULL, a NOT NULL, b NOT NULL, line TEXT NOT NULL);
       CREATE UNIQUE INDEX ix_spooled_record ON spooled_record (kind, a, b); BEGIN`,
    );
    this.insert = this.database.prepare(
      'INSERT OR IGNORE INTO spooled_record (kind, a, b, line) VALUES (?, ?, ?, ?)',
    );
    this.found = this.database.prepare('SELECT line FROM spooled_record WHERE kind = ? AND a = ? AND b = ?');
    this.next = this.database.prepare(
      `SELECT b, line FROM spooled_record WHERE kind = ? AND a = ? AND b > ? ORDER BY b LIMIT ${READ_AT_ONCE}`,
    );
  }

  /** Adds a record, unless there is one with its key; returns whether it was added. */
  add(kind: string, [a, b = 0]: Key, record: object): boolean {
    if (++this.uncommitted % BATCH === 0) this.database.exec('COMMIT; BEGIN');
    return this.insert.run(kind, a, b, JSON.stringify(record)).changes > 0;
  }

  /** Returns the record with a key. */
  find(kind: string, [a, b = 0]: Key): Record<string, unknown> | undefined {
    const [row] = this.found.all(kind, a, b);
    return row && (JSON.parse(row.line as string) as Record<string, unknown>);
  }

  /** Yields the records of a kind in the order of their keys. */
  *records<T extends object>(kind: string): Generator<T> {
    const rows = this.database
      .prepare('SELECT line FROM spooled_record WHERE kind = ? ORDER BY a, b')
      .iterate(kind);
    for (const { line } of rows) yield JSON.parse(line as string) as T;
  }

  /** Yields the records of a kind whose keys begin with a value, in the order of the rest. Others may be added meanwhile. */
  *within<T extends object>(kind: string, a: KeyPart): Generator<T> {
    // Smaller than every number and text.
    let after: KeyPart = Number.MIN_SAFE_INTEGER;
    for (;;) {
      const rows = this.next.all(kind, a, after);
      for (const { line } of rows) yield JSON.parse(line as string) as T;
      const last = rows.at(-1);
      if (!last || rows.length < READ_AT_ONCE) return;
      after = last.b as KeyPart;
    }
  }

  /** Returns the largest id of a kind that a source has given. */
  largestId(kind: string): number {
    const [row] = this.database
      .prepare('SELECT COALESCE(MAX(a), 0) AS largest FROM spooled_record WHERE kind = ? AND a < ?')
      .all(kind, FIRST_GIVEN_ID);
    return Number(row?.largest ?? 0);
  }

  count(kind: string): number {
    const [row] = this.database.prepare('SELECT COUNT(*) AS n FROM spooled_record WHERE kind = ?').all(kind);
    return Number(row?.n ?? 0);
  }

  /** Closes and removes the file. */
  close(): void {
    this.database.close();
    this.remove();
  }

  private remove(): void {
    for (const end of ['', '-journal', '-wal', '-shm']) rmSync(`${this.path}${end}`, { force: true });
  }
}
