import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type DataSource, QueryFailedError, QueryResult, QueryRunnerAlreadyReleasedError } from 'typeorm';
import { type BetterSqlite3Driver } from 'typeorm/driver/better-sqlite3/BetterSqlite3Driver';
import { BetterSqlite3QueryRunner } from 'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner';
import { publishStatement } from '../../diagnostics/channels';
import { loopTurns } from '../../event-loop/loop-turns';
import { isRetryable } from '../connections/database-errors';
import { isRead, useDirectReads } from '../connections/direct-reads';
import { type PoolUsage } from '../connections/pool-usage';
import { isLongText } from '../schema/columns';
import { collectGarbage } from './collect-garbage';
import { Checkpoints, LOG_SIZE } from './checkpoints';
import { checkpoint, DatabaseFile, isCorruption } from './database-file';
import { ExclusiveLock, LockTimeoutError } from './exclusive-lock';
import { LogSync, LogSyncError } from './log-sync';
import { LongReads } from './long-reads';
import { LongTextGuard } from './long-text-guard';
import { closesAtOnce, PAGE_CACHE, SqliteDatabase } from './node-sqlite';
import { PreparedStatements } from './prepared-statements';
import { SharedCommits } from './shared-commits';

/**
 * Isolates concurrent requests on SQLite. TypeORM's own driver has one connection and one query runner, so a second transaction fails
 * inside the first and other requests read uncommitted data. Here:
 *
 * - one writer connection, granted exclusively and in order: to a transaction from BEGIN IMMEDIATE to its end, to a single write for that
 *   statement;
 * - one reader connection on the last committed state (WAL), for every SELECT outside a transaction. One is enough: SQLite's calls are
 *   synchronous, so two reads never overlap;
 * - another one for the SELECTs that return long texts, which give other work its turn between the rows (`LongReads`).
 *
 * A loop of statements would therefore never leave the microtask queue: each statement first waits for the next turn of the event loop when
 * this turn has used its time (`LoopTurns`).
 *
 * @param writerWait how long a write waits for its turn, and a long read for earlier ones, in milliseconds
 * @param claim how the file is used if it is reserved for this process while it is open, and checked first (`DatabaseFile`)
 */
export function useSeparateSqliteConnections(
  dataSource: DataSource,
  writerWait: number,
  claim?: FileClaim,
): void {
  const driver = dataSource.driver as unknown as PatchableDriver;
  const connections = new SqliteConnections(driver, writerWait, claim);
  connectionsOf.set(dataSource, connections);
  // SQLite stores text of any length, and 64 bits in every `integer`, the only type of an autoincrement key.
  driver.supportedDataTypes.push('mediumtext');
  const normalizeType = driver.normalizeType.bind(driver);
  driver.normalizeType = (column) => (column.type === 'bigint' ? 'integer' : normalizeType(column));
  driver.createQueryRunner = () => new PooledSqliteQueryRunner(connections);
  useDirectReads(dataSource, (sql, parameters) => {
    const pause = loopTurns.pause();
    return pause ? pause.then(() => connections.read(sql, parameters)) : connections.read(sql, parameters);
  });
  // Every path to the database reports errors to the logger.
  const { logger } = dataSource;
  const logQueryError = logger.logQueryError.bind(logger);
  logger.logQueryError = (error, ...rest) => {
    connections.notice(error);
    logQueryError(error, ...rest);
  };
  const connect = driver.connect.bind(driver);
  driver.connect = () => connections.open(connect);
  driver.disconnect = () => connections.close();
}

/**
 * Assigns a new generation to the embedded database's file if it has been written since the last one, so that an older copy from the same
 * run can also be distinguished from it. Runs every minute.
 */
export async function renewGeneration(dataSource: DataSource): Promise<void> {
  await connectionsOf.get(dataSource)?.renewGeneration();
}

/** Returns the usage of the embedded database's writer; undefined for other databases. */
export function writerUsage(dataSource: DataSource): PoolUsage | undefined {
  const lock = connectionsOf.get(dataSource)?.writerLock;
  if (!lock) return undefined;
  const inUse = lock.isHeld ? 1 : 0;
  return { host: 'embedded', inUse, idle: 1 - inUse, waiting: lock.waiting, limit: 1 };
}

/**
 * Leaves all syncs of the embedded database to the caller, who must sync the closed file before it is used: for a database that is of no
 * use unless it is complete.
 */
export const writeUnsynced = (dataSource: DataSource): void => connectionsOf.get(dataSource)?.writeUnsynced();

/** Whether the embedded database takes writes: after a failed sync, or while a sync hangs, it does not. */
export const canSync = (dataSource: DataSource): boolean =>
  connectionsOf.get(dataSource)?.log?.isHealthy ?? true;

/**
 * Resolves when every commit that a read of the embedded database has seen is on disk: before work outside the database that cannot be
 * undone, such as the removal of a file whose row is gone.
 * @throws LogSyncError
 */
export async function commitsSynced(dataSource: DataSource): Promise<void> {
  await connectionsOf.get(dataSource)?.log?.synced();
}

/** Whether a statement has found the embedded database damaged, which makes the service unready. */
export const isDamaged = (dataSource: DataSource): boolean =>
  connectionsOf.get(dataSource)?.isDamaged ?? false;

/**
 * Switches a database to the write-ahead log, which is a persistent property of the file. If several processes do so at once, SQLite lets
 * one pass and does not wait for it in the others.
 */
export async function useWriteAheadLog(database: SqliteDatabase, timeout: number): Promise<void> {
  const deadline = Date.now() + timeout;
  for (;;) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isRetryable(error) || Date.now() >= deadline) throw error;
      await sleep(RETRY_PAUSE_MS);
    }
  }
}

/** Use of a file that is reserved for this process. */
export interface FileClaim {
  /** How long a commit waits for its sync, in milliseconds. */
  syncWait: number;
}

type PatchableDriver = BetterSqlite3Driver & { databaseConnection: SqliteDatabase | undefined };
const connectionsOf = new WeakMap<DataSource, SqliteConnections>();

const RETRY_PAUSE_MS = 20;
const SCHEMA_CHANGES = /^\s*(?:create|alter|drop)\b/i;
const PRAGMA_READS = /^\s*pragma\s+[^=]*$/i;
/** Matches statements that end a transaction, for which others wait. */
const ENDS_TRANSACTION = /^\s*(?:commit|rollback)\b/i;
/** The name of a transaction within that of a shared commit. */
const SAVEPOINT = 'shared';

const GENERATION_MS = 60_000;
/** SQLite's own limit of the log, in pages. */
const USUAL_LOG_PAGES = 1000;
/** Maximum number of collections of unused statements when the file is closed. */
const COLLECTIONS = 5;

/** The two connections, and the lock that grants the writer. */
class SqliteConnections {
  readonly writerStatements = new PreparedStatements(() => this.writer);
  readonly readerStatements = new PreparedStatements(() => this.reader);
  private readonly guardedStatements = new PreparedStatements(
    () => this.reader,
    (sql) => this.longTextGuard.guard(sql),
  );
  readonly writerLock: ExclusiveLock;
  private readonly longTextGuard = new LongTextGuard(() => longTextColumns(this.driver.dataSource));
  private readonly longReads: LongReads;
  isDamaged = false;
  /** Whether the file has been written since it got its generation. */
  hasWritten = false;
  private renewal?: NodeJS.Timeout;
  private openedReader?: SqliteDatabase;
  private file?: DatabaseFile;
  /** Syncs the commits; undefined if SQLite does it, or nobody. */
  log?: LogSync;
  private checkpoints?: Checkpoints;
  /** Present together with `log`. */
  sharedCommits?: SharedCommits;
  private isCopyFailing = false;
  private readonly logger = new Logger('Database');

  constructor(
    readonly driver: PatchableDriver,
    readonly writerWait: number,
    private readonly claim?: FileClaim,
  ) {
    this.writerLock = new ExclusiveLock(writerWait);
    this.longReads = new LongReads(() => this.newReader(), writerWait);
  }

  /**
   * Opens the file exclusively for this process.
   * @param connect opens the writer
   * @throws StartRefusedError if the file cannot be used
   */
  async open(connect: () => Promise<void>): Promise<void> {
    this.isDamaged = false;
    if (this.claim) this.file = await DatabaseFile.claim(this.driver.options.database);
    try {
      this.file?.create();
      await connect();
      this.writer.pragma(PAGE_CACHE);
      await this.file?.beginGeneration(this.writer, () => checkpoint(this.writer));
      this.openReader();
      if (this.file && this.claim) {
        this.syncCommits(this.file, this.claim);
        this.renewal = setInterval(() => void this.renewGeneration(), GENERATION_MS).unref();
      }
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  /**
   * Closes all connections and leaves every commit in the file, with no write-ahead log beside it. After a failed sync, the log stays as it
   * is: only a new start knows again what the disk has.
   */
  async close(): Promise<void> {
    clearInterval(this.renewal);
    await this.checkpoints?.ended();
    // No copy of the log begins any more.
    this.checkpoints = undefined;
    this.sharedCommits?.close();
    this.sharedCommits = undefined;
    const writer = this.driver.databaseConnection as SqliteDatabase | undefined;
    const reader = this.openedReader;
    this.driver.databaseConnection = undefined;
    this.openedReader = undefined;
    this.readerStatements.clear();
    this.guardedStatements.clear();
    this.writerStatements.clear();
    this.longReads.close();
    try {
      if (writer && !this.emptyLog(writer)) {
        await closeWithoutCopying(writer, reader);
      } else {
        reader?.close();
        writer?.close();
        if (writer) await this.removeLog();
      }
    } finally {
      await this.log?.close();
      this.log = undefined;
      this.file?.release(this.isDamaged);
      this.file = undefined;
    }
  }

  /** Runs again a minute later if it fails, for example because another process has locked the file. */
  async renewGeneration(): Promise<void> {
    if (!this.hasWritten) return;
    try {
      await this.acquireWriter();
    } catch {
      return;
    }
    try {
      // The writer may have been closed in the meantime.
      if (this.driver.databaseConnection) await this.file?.beginGeneration(this.writer, () => this.copyLog());
      this.hasWritten = false;
    } catch (error) {
      this.notice(error);
    } finally {
      this.releaseWriter();
    }
  }

  /**
   * @param joins whether the caller begins a transaction that may share the commit of earlier ones
   * @throws LockTimeoutError, or LogSyncError after a failed sync or while one hangs
   */
  async acquireWriter(joins = false): Promise<void> {
    await this.writerLock.acquire();
    try {
      this.log?.refuseUnhealthy();
    } catch (error) {
      this.releaseWriter();
      throw error;
    }
    if (!joins) this.sharedCommits?.end();
  }

  releaseWriter(): void {
    this.sharedCommits?.endIfDue();
    this.writerLock.release();
  }

  /** Resolves when all commits so far are on disk. The transactions of the last one have ended. @throws LogSyncError */
  async committed(transactions = 1): Promise<void> {
    if (!this.log) return;
    if (this.checkpoints?.isDue(transactions)) void this.checkpoint();
    await this.log.synced();
  }

  writeUnsynced(): void {
    clearInterval(this.renewal);
    this.sharedCommits?.close();
    this.keepUndoInMemory(false);
    this.sharedCommits = undefined;
    void this.log?.close();
    this.log = undefined;
    this.checkpoints = undefined;
    this.writer.exec(`PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = ${USUAL_LOG_PAGES}`);
  }

  /** Lets `LogSync` sync the commits. SQLite still syncs the header of a log that it begins anew, before it overwrites the old one. */
  private syncCommits(file: DatabaseFile, { syncWait }: FileClaim): void {
    this.writer.exec(`PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0;
      PRAGMA journal_size_limit = ${LOG_SIZE}`);
    this.log = new LogSync(file.logPath, syncWait, () => this.sharedCommits?.syncEnded());
    this.checkpoints = new Checkpoints(this.writer, file, this.log);
    this.sharedCommits = new SharedCommits(
      this.writer,
      this.writerLock,
      this.log,
      (transactions) => this.committed(transactions),
      (error) => this.notice(error),
    );
    this.keepUndoInMemory(true);
  }

  /**
   * Determines where SQLite keeps the previous pages of a savepoint once they exceed 64 KiB, and what it sorts: in memory, or in a file, whose
   * creation takes longer than most transactions. Outside a transaction only.
   */
  keepUndoInMemory(isInMemory: boolean): void {
    if (this.sharedCommits) this.writer.exec(`PRAGMA temp_store = ${isInMemory ? 'MEMORY' : 'DEFAULT'}`);
  }

  /** Copies the log into the file when no transaction runs. The next commit then begins the log anew, unless a search still reads it. */
  private async checkpoint(): Promise<void> {
    try {
      await this.acquireWriter();
    } catch {
      // Again after more commits.
      return;
    }
    try {
      await this.copyLog();
      this.isCopyFailing = false;
    } catch (error) {
      this.notice(error);
      this.noteFailedCopy(error);
    } finally {
      this.releaseWriter();
    }
  }

  private noteFailedCopy(error: unknown): void {
    if (!this.isCopyFailing && !(error instanceof LogSyncError)) {
      this.logger.error(
        { err: error },
        'The write-ahead log of the embedded database cannot be copied into the file, and grows',
      );
    }
    this.isCopyFailing = true;
  }

  private copyLog(): Promise<boolean> {
    if (!this.checkpoints) throw new Error('The embedded database is closed.');
    return this.checkpoints.run();
  }

  /** Records that the file is damaged if an error shows that it is. */
  notice(error: unknown): void {
    if (this.isDamaged || !isCorruption(error)) return;
    this.isDamaged = true;
    this.logger.fatal(
      { err: error },
      'The embedded database is damaged: stop the service and restore a backup',
    );
  }

  /** Moves all commits into the file. @returns false if the log must stay */
  private emptyLog(writer: SqliteDatabase): boolean {
    try {
      writer.exec('ROLLBACK');
    } catch {
      // No transaction was open, as expected.
    }
    if (!this.file) return true;
    // SQLite would discard a log that it has copied, although the copy may not be on disk.
    if (this.log?.hasFailed) return false;
    try {
      // Closing the last connection does the same, except with the SQLite package, where a connection stays open until its last statement
      // is garbage-collected.
      checkpoint(writer);
      return true;
    } catch (error) {
      this.logger.error({ err: error }, 'The write-ahead log of the embedded database could not be emptied');
      return false;
    }
  }

  private async removeLog(): Promise<void> {
    if (!this.file) return;
    for (let round = 0; this.file.hasLogFile() && round < COLLECTIONS; round++) {
      await collectGarbage(round === 0 ? 'minor' : 'major');
      // The last connection to be closed was the reader, which must not write.
      if (this.file.hasLogFile()) this.file.removeLog();
    }
    if (this.file.hasLogFile()) {
      this.logger.warn('Another process has the embedded database open: its -wal and -shm belong to it');
    }
  }

  get writer(): SqliteDatabase {
    return this.driver.databaseConnection as SqliteDatabase;
  }

  /** Whether a transaction is open on the writer; false once it has been closed. */
  get isTransaction(): boolean {
    return (this.driver.databaseConnection as SqliteDatabase | undefined)?.isTransaction ?? false;
  }

  get reader(): SqliteDatabase {
    if (!this.openedReader) throw new Error('The embedded database is closed.');
    return this.openedReader;
  }

  /** Reads from the last committed state. */
  read(sql: string, parameters: unknown[]): unknown[] | Promise<unknown[]> {
    const rows = this.longTextGuard.read(() => this.guardedStatements.get(sql).all(...parameters));
    return rows ?? this.longReads.read(sql, parameters);
  }

  openReader(): void {
    this.openedReader = this.newReader();
    this.openedReader.pragma(PAGE_CACHE);
    this.longTextGuard.prepare(this.openedReader);
  }

  private newReader(): SqliteDatabase {
    const { database, timeout } = this.driver.options;
    return new SqliteDatabase(database, { readonly: true, timeout });
  }

  /** Discards prepared statements: Node 22 returns the columns from the schema that the connection knew when it prepared the statement. */
  noticeNewSchema(): void {
    this.readerStatements.clear();
    this.guardedStatements.clear();
    this.writerStatements.clear();
    this.longReads.close();
    this.openedReader?.prepare('SELECT name FROM sqlite_master LIMIT 1').all();
  }
}

/**
 * Closes connections and leaves the log as it is. The last connection to be closed would copy and remove it, but the reader cannot write.
 */
async function closeWithoutCopying(
  writer: SqliteDatabase,
  reader: SqliteDatabase | undefined,
): Promise<void> {
  writer.close();
  if (!closesAtOnce()) {
    await collectGarbage();
    await collectGarbage();
  }
  reader?.close();
}

/** Returns the names of all columns with texts of any length. */
function longTextColumns(dataSource: DataSource): string[] {
  const columns = dataSource.entityMetadatas.flatMap((entity) => entity.columns);
  return [...new Set(columns.filter(isLongText).map(({ databaseName }) => databaseName))];
}

/** Query runner of a single caller, which reads on the reader until it needs the writer. */
class PooledSqliteQueryRunner extends BetterSqlite3QueryRunner {
  private holdsWriter = false;
  private isMigrating = false;
  private hasChangedSchema = false;
  /** Whether the transaction is a savepoint in that of a shared commit. */
  private isSavepoint = false;
  /** The shared commit of the transaction that has just ended. */
  private sharedCommit?: Promise<void>;

  constructor(private readonly connections: SqliteConnections) {
    super(connections.driver);
  }

  override connect(): Promise<SqliteDatabase> {
    return new Promise<SqliteDatabase>((resolve) =>
      resolve(this.holdsWriter ? this.connections.writer : this.connections.reader),
    );
  }

  override async startTransaction(): Promise<void> {
    // Before the writer is taken, so that no other work waits for it during the pause.
    const pause = loopTurns.pause();
    if (pause) await pause;
    await this.takeWriter(true);
    try {
      await super.startTransaction();
    } catch (error) {
      if (this.transactionDepth === 0) {
        this.isTransactionActive = false;
        this.giveIdleWriterBack();
      }
      throw error;
    }
  }

  override async commitTransaction(): Promise<void> {
    await super.commitTransaction();
    this.giveIdleWriterBack();
    if (this.isTransactionActive) return;
    const { sharedCommit } = this;
    this.sharedCommit = undefined;
    await (sharedCommit ?? this.connections.committed());
  }

  override async rollbackTransaction(): Promise<void> {
    try {
      await super.rollbackTransaction();
    } finally {
      this.giveIdleWriterBack();
    }
  }

  /**
   * Foreign keys can only be disabled outside a transaction and for one connection, so a migration holds the writer from before its
   * transaction until they are enabled again.
   */
  override async beforeMigration(): Promise<void> {
    await this.takeWriter();
    this.isMigrating = true;
    // The rows of a new index are sorted.
    this.connections.keepUndoInMemory(false);
    await super.beforeMigration();
  }

  override async afterMigration(): Promise<void> {
    await this.endMigration();
    this.giveIdleWriterBack();
    await this.connections.committed();
  }

  private async endMigration(): Promise<void> {
    await super.afterMigration();
    this.connections.keepUndoInMemory(true);
    this.isMigrating = false;
  }

  override query<T = unknown>(query: string, parameters: unknown[] = [], structured = false): Promise<T> {
    return publishStatement('sqlite', query, () => this.send<T>(query, parameters, structured));
  }

  private async send<T>(query: string, parameters: unknown[], structured: boolean): Promise<T> {
    // The writer's holder goes first: everything else that writes waits for it.
    const pause = ENDS_TRANSACTION.test(query) ? undefined : loopTurns.pause(this.holdsWriter);
    if (pause) await pause;
    if (this.holdsWriter) return this.queryWriter<T>(query, parameters, structured);
    if (isRead(query) || PRAGMA_READS.test(query)) {
      return this.execute(query, parameters, structured) as T;
    }
    await this.takeWriter();
    let result: T;
    try {
      result = await this.queryWriter<T>(query, parameters, structured);
    } finally {
      this.giveWriterBack();
    }
    await this.connections.committed();
    return result;
  }

  override async release(): Promise<void> {
    try {
      await this.abandonTransaction();
      if (this.isMigrating) await this.endMigration();
    } finally {
      this.isMigrating = false;
      this.giveWriterBack();
      await super.release();
      this.isReleased = true;
    }
  }

  private async queryWriter<T>(query: string, parameters: unknown[], structured: boolean): Promise<T> {
    const isBegin = query === 'BEGIN TRANSACTION';
    const isInside = this.isTransactionActive && !isBegin;
    if (isInside) this.refuseOutsideTransaction(query, parameters);
    if (this.executeShared(query)) return undefined as T;
    // A deferred transaction that reads first cannot become a writer once another has written (SQLITE_BUSY_SNAPSHOT).
    const statement = isBegin ? 'BEGIN IMMEDIATE' : query;
    this.connections.hasWritten = true;
    if (SCHEMA_CHANGES.test(statement)) {
      this.hasChangedSchema = true;
      this.connections.writerStatements.clear();
    }
    if (isInside) return this.execute(statement, parameters, structured) as T;
    return this.whenUnlocked(() => this.execute(statement, parameters, structured) as T);
  }

  /**
   * SQLite ends a transaction itself after some errors, as on a full disk. If the work ignores the error, its next statement would be stored
   * at once. Migrations also execute statements between transactions.
   */
  private refuseOutsideTransaction(query: string, parameters: unknown[]): void {
    if (this.isMigrating || this.connections.isTransaction) return;
    throw new QueryFailedError(query, parameters, new Error('SQLite has rolled back the transaction.'));
  }

  /**
   * Executes a statement that begins or ends a transaction which shares its commit.
   * @returns false for any other statement
   * @throws QueryFailedError
   */
  private executeShared(query: string): boolean {
    const { sharedCommits } = this.connections;
    if (!sharedCommits) return false;
    switch (query) {
      case 'BEGIN TRANSACTION':
        if (!sharedCommits.isOpen) return false;
        this.execute(`SAVEPOINT ${SAVEPOINT}`, [], false);
        this.isSavepoint = true;
        return true;
      case 'COMMIT':
        if (this.isMigrating || !sharedCommits.canAdd) return false;
        this.endSavepoint(sharedCommits, `RELEASE ${SAVEPOINT}`);
        this.sharedCommit = sharedCommits.add();
        return true;
      case 'ROLLBACK':
        if (!sharedCommits.isOpen) return false;
        this.endSavepoint(sharedCommits, `ROLLBACK TO ${SAVEPOINT}`, `RELEASE ${SAVEPOINT}`);
        return true;
      default:
        return false;
    }
  }

  private endSavepoint(sharedCommits: SharedCommits, ...statements: string[]): void {
    if (!this.isSavepoint) return;
    this.isSavepoint = false;
    try {
      for (const statement of statements) this.execute(statement, [], false);
    } catch (error) {
      sharedCommits.lose(error);
      throw error;
    }
  }

  /** Executes a statement as TypeORM's own runner does, but at once: its events, which nobody hears, take longer than many statements. */
  private execute(sql: string, parameters: unknown[], structured: boolean): unknown {
    if (this.isReleased) throw new QueryRunnerAlreadyReleasedError();
    const { logger } = this.dataSource;
    logger.logQuery(sql, parameters, this);
    try {
      const { writerStatements, readerStatements } = this.connections;
      const statement = (this.holdsWriter ? writerStatements : readerStatements).get(sql);
      const result = new QueryResult();
      if (statement.reader) {
        result.records = statement.all(...parameters);
        result.raw = result.records;
      } else {
        const { changes, lastInsertRowid } = statement.run(...parameters);
        result.affected = changes;
        result.raw = lastInsertRowid;
      }
      return structured ? result : result.raw;
    } catch (error) {
      logger.logQueryError(error as Error, sql, parameters, this);
      const failure = new QueryFailedError(sql, parameters, error as Error);
      this.connections.sharedCommits?.noticeFailure(failure);
      throw failure;
    }
  }

  /**
   * Sends a statement that needs the file's lock, and retries while another process holds it. SQLite's own wait would block the event loop.
   * @throws LockTimeoutError if the lock is held for too long
   */
  private async whenUnlocked<T>(send: () => T): Promise<T> {
    const { writerWait } = this.connections;
    const deadline = performance.now() + writerWait;
    for (;;) {
      try {
        return send();
      } catch (error) {
        if (!isRetryable(error)) throw error;
        if (performance.now() >= deadline) throw new LockTimeoutError(writerWait);
        await sleep(RETRY_PAUSE_MS);
      }
    }
  }

  /** Rolls back the whole open transaction, including every savepoint. */
  private async abandonTransaction(): Promise<void> {
    if (!this.isTransactionActive) return;
    this.transactionDepth = 0;
    this.isTransactionActive = false;
    try {
      await this.query('ROLLBACK');
    } catch {
      // SQLite has already rolled back (disk full, I/O error); the original error is the one to report.
    }
  }

  /** @param joins whether the caller begins a transaction that may share the commit of earlier ones */
  private async takeWriter(joins = false): Promise<void> {
    if (this.holdsWriter) return;
    await this.connections.acquireWriter(joins);
    this.holdsWriter = true;
  }

  private giveIdleWriterBack(): void {
    if (!this.isTransactionActive && !this.isMigrating) this.giveWriterBack();
  }

  private giveWriterBack(): void {
    if (!this.holdsWriter) return;
    this.holdsWriter = false;
    try {
      if (this.hasChangedSchema) {
        this.connections.sharedCommits?.end();
        this.connections.noticeNewSchema();
      }
    } finally {
      this.hasChangedSchema = false;
      this.connections.releaseWriter();
    }
  }
}
