import { QueryFailedError } from 'typeorm';
import { type ExclusiveLock } from './exclusive-lock';
import { type LogSync, LogSyncError } from './log-sync';
import { type SqliteDatabase } from './node-sqlite';

/** How long a commit stays open for further transactions, in milliseconds. */
const MAX_OPEN_MS = 10;

/** A commit that several transactions share. */
class SharedCommit {
  readonly openedAt = performance.now();
  size = 0;
  /** Resolves when the commit is on disk, and rejects with its error. */
  readonly done: Promise<void>;
  resolve!: (synced: Promise<void>) => void;
  reject!: (error: unknown) => void;

  constructor() {
    this.done = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }
}

/**
 * Lets transactions of the embedded database share a commit that end while the log is being synced, or while another transaction waits for
 * the writer. SQLite's transaction stays open at the end of the first one; each further one is a savepoint in it
 * (`docs/decisions/0079-shared-commits.md`).
 */
export class SharedCommits {
  private current?: SharedCommit;

  /**
   * @param lock grants the writer
   * @param committed called after a commit of this many transactions; resolves when it is on disk
   * @param noticeError called with an error of the commit
   */
  constructor(
    private readonly writer: SqliteDatabase,
    private readonly lock: ExclusiveLock,
    private readonly log: LogSync,
    private readonly committed: (transactions: number) => Promise<void>,
    private readonly noticeError: (error: unknown) => void,
  ) {}

  /** Whether SQLite's transaction is open for the next holder of the writer to join. */
  get isOpen(): boolean {
    return this.current !== undefined;
  }

  /** Whether the caller, who holds the writer, may add its transaction instead of committing it. */
  get canAdd(): boolean {
    return this.isOpen || this.mayWait;
  }

  /** Whether the commit may wait: for the running sync, which it must, or for a transaction that follows at once. */
  private get mayWait(): boolean {
    return this.log.isSyncing || this.lock.waiting > 0;
  }

  /**
   * Adds the transaction that the caller, who holds the writer, has just ended.
   * @returns a promise that resolves when the commit is on disk, and rejects if the transaction is not stored or not synced in time
   */
  add(): Promise<void> {
    this.current ??= new SharedCommit();
    this.current.size++;
    const committed = this.log.madeAfterSync(this.current.done);
    // Nobody may be waiting for it yet, or any more.
    committed.catch(() => undefined);
    return committed;
  }

  /** Ends the commit unless it may wait for more. The caller is about to give the writer back. */
  endIfDue(): void {
    if (!this.current) return;
    if (!this.mayWait || performance.now() - this.current.openedAt >= MAX_OPEN_MS) this.end();
  }

  /** A sync has ended. If the writer is in use, its holder ends the commit. */
  syncEnded(): void {
    if (!this.lock.isHeld) this.end();
  }

  /** Commits what has been shared so far, if anything, outside any other transaction. Does not throw: the transactions get the error. */
  end(): void {
    const { current } = this;
    if (!current) return;
    try {
      this.writer.exec('COMMIT');
    } catch (error) {
      this.noticeError(error);
      this.lose(new QueryFailedError('COMMIT', [], error as Error));
      return;
    }
    this.current = undefined;
    current.resolve(this.committed(current.size));
  }

  /** SQLite may have ended its transaction after an error, as on a full disk: everything in it is lost. */
  noticeFailure(error: unknown): void {
    if (this.current && !this.writer.isTransaction) this.lose(error);
  }

  /** Rolls back what has been shared so far, and the transaction in it. */
  lose(error: unknown): void {
    const { current } = this;
    if (!current) return;
    this.current = undefined;
    try {
      this.writer.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back.
    }
    current.reject(error);
  }

  /** Ends the commit before the writer is closed. One that contains an unfinished transaction cannot be kept. */
  close(): void {
    if (this.lock.isHeld) this.lose(new LogSyncError('The embedded database is closed'));
    else this.end();
  }
}
