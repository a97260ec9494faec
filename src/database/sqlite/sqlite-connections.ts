import { type DataSource } from 'typeorm';
import { type BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner';
import { ExclusiveLock } from './exclusive-lock';
import { SqliteDatabase, type SqliteStatement } from './node-sqlite';

/**
 * Gives concurrent requests real isolation on SQLite. TypeORM's own driver has one connection and one query runner, so a
 * second transaction fails inside the first and others read what is not committed. Here:
 *
 * - one writer connection, handed out exclusively and in order: to a transaction from BEGIN IMMEDIATE to its end, to a
 *   lone write for that statement;
 * - one reader connection on the last committed state (WAL), for every SELECT outside a transaction. One is enough:
 *   SQLite's calls are synchronous, so two reads never overlap.
 */
export function useSeparateSqliteConnections(dataSource: DataSource, busyTimeout: number): void {
  const driver = dataSource.driver as unknown as PatchableDriver;
  const connections = new SqliteConnections(driver, busyTimeout);
  // SQLite holds any length of text, and 64 bits in any integer, which alone may be an autoincrement key.
  driver.supportedDataTypes.push('mediumtext');
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => (column.type === 'bigint' ? 'integer' : normalizeType(column));
  driver.createQueryRunner = () => new PooledSqliteQueryRunner(connections);
  const disconnect = driver.disconnect.bind(driver);
  driver.disconnect = async () => {
    connections.closeReader();
    await disconnect();
  };
}

type PatchableDriver = BetterSqlite3Driver & { databaseConnection: SqliteDatabase };
type StatementCache = Map<string, SqliteStatement>;

/** What the runner inherits but TypeORM declares private. */
interface RunnerInternals {
  stmtCache: StatementCache;
  cacheSize: number;
}

const STATEMENT_CACHE_SIZE = 500;
const READS = /^\s*(?:select|explain|values)\b/i;
const PRAGMA_READS = /^\s*pragma\s+[^=]*$/i;

/** The two connections and the lock that the writer is handed out by. */
class SqliteConnections {
  readonly writerStatements: StatementCache = new Map();
  readonly readerStatements: StatementCache = new Map();
  readonly writerLock: ExclusiveLock;
  private openedReader?: SqliteDatabase;

  constructor(
    readonly driver: PatchableDriver,
    private readonly busyTimeout: number,
  ) {
    this.writerLock = new ExclusiveLock(busyTimeout);
  }

  get writer(): SqliteDatabase {
    return this.driver.databaseConnection;
  }

  get reader(): SqliteDatabase {
    this.openedReader ??= new SqliteDatabase(this.driver.options.database, {
      readonly: true,
      timeout: this.busyTimeout,
    });
    return this.openedReader;
  }

  closeReader(): void {
    this.openedReader?.close();
    this.openedReader = undefined;
    this.readerStatements.clear();
    this.writerStatements.clear();
  }
}

/** A query runner of its own for each caller, which reads on the reader until it needs the writer. */
class PooledSqliteQueryRunner extends BetterSqlite3QueryRunner {
  private holdsWriter = false;

  constructor(private readonly connections: SqliteConnections) {
    super(connections.driver);
    this.internals.cacheSize = STATEMENT_CACHE_SIZE;
    this.internals.stmtCache = connections.readerStatements;
  }

  override connect(): Promise<SqliteDatabase> {
    return Promise.resolve(this.holdsWriter ? this.connections.writer : this.connections.reader);
  }

  override async startTransaction(): Promise<void> {
    await this.takeWriter();
    try {
      await super.startTransaction();
    } catch (error) {
      if (this.transactionDepth === 0) {
        this.isTransactionActive = false;
        this.giveWriterBack();
      }
      throw error;
    }
  }

  override async commitTransaction(): Promise<void> {
    await super.commitTransaction();
    if (!this.isTransactionActive) this.giveWriterBack();
  }

  override async rollbackTransaction(): Promise<void> {
    try {
      await super.rollbackTransaction();
    } finally {
      if (!this.isTransactionActive) this.giveWriterBack();
    }
  }

  /** Foreign keys can be switched off only outside a transaction, so migrations hold the writer throughout. */
  override async beforeMigration(): Promise<void> {
    await this.takeWriter();
    await super.beforeMigration();
  }

  override async afterMigration(): Promise<void> {
    await super.afterMigration();
    this.giveWriterBack();
  }

  override async query<T = unknown>(
    query: string,
    parameters: unknown[] = [],
    structured = false,
  ): Promise<T> {
    if (this.holdsWriter) {
      // A deferred transaction that reads first cannot become a writer once another has written (SQLITE_BUSY_SNAPSHOT).
      const statement = query === 'BEGIN TRANSACTION' ? 'BEGIN IMMEDIATE' : query;
      return (await super.query(statement, parameters, structured)) as T;
    }
    if (READS.test(query) || PRAGMA_READS.test(query)) {
      return (await super.query(query, parameters, structured)) as T;
    }
    await this.takeWriter();
    try {
      return (await super.query(query, parameters, structured)) as T;
    } finally {
      this.giveWriterBack();
    }
  }

  override async release(): Promise<void> {
    try {
      if (this.isTransactionActive) await super.rollbackTransaction();
    } catch {
      // SQLite has rolled back by itself (disk full, I/O error); the error that led here is the one to report.
    } finally {
      this.giveWriterBack();
    }
    await super.release();
    this.isReleased = true;
  }

  private get internals(): RunnerInternals {
    return this as unknown as RunnerInternals;
  }

  private async takeWriter(): Promise<void> {
    if (this.holdsWriter) return;
    await this.connections.writerLock.acquire();
    this.holdsWriter = true;
    this.internals.stmtCache = this.connections.writerStatements;
  }

  private giveWriterBack(): void {
    if (!this.holdsWriter) return;
    this.holdsWriter = false;
    this.internals.stmtCache = this.connections.readerStatements;
    this.connections.writerLock.release();
  }
}
