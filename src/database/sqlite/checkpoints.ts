import { setTimeout as sleep } from 'node:timers/promises';
import { type DatabaseFile } from './database-file';
import { type LogSync } from './log-sync';
import { type SqliteDatabase } from './node-sqlite';

/** Size to which the log may grow before it is copied into the file, in bytes; SQLite cuts a larger one when it begins anew. */
export const LOG_SIZE = 4 * 1024 * 1024;
/** Number of transactions after which it is copied at the latest: often enough that one copy takes a few milliseconds. */
const TRANSACTIONS = 250;
/** Transactions between two looks at the size of the log, each of which takes a hundredth of the time of a write. */
const TRANSACTIONS_BETWEEN_LOOKS = 10;
/** Size above which writes wait for those who still read the log, so that it can begin anew. */
const LARGE_LOG_SIZE = 8 * LOG_SIZE;
/** How long they wait, and the pause between two looks, in milliseconds. */
const READERS_WAIT_MS = 500;
const READERS_PAUSE_MS = 10;

/**
 * Copies the write-ahead log into the database's file, so that the next commit begins the log anew. The event loop waits for the copying,
 * not for the disk: the log is synced before, and the file after it, while no transaction can begin
 * (`docs/decisions/0058-group-commit.md`).
 */
export class Checkpoints {
  private transactions = 0;
  /** Size of the log that makes a copy due. */
  private dueSize = LOG_SIZE;
  /** Size above which writes wait for those who read the log. */
  private largeSize = LARGE_LOG_SIZE;
  private running?: Promise<boolean>;

  constructor(
    private readonly writer: SqliteDatabase,
    private readonly file: DatabaseFile,
    private readonly log: LogSync,
  ) {}

  /** Whether to copy the log after another commit of this many transactions. */
  isDue(transactions: number): boolean {
    const looks = Math.floor(this.transactions / TRANSACTIONS_BETWEEN_LOOKS);
    this.transactions += transactions;
    if (Math.floor(this.transactions / TRANSACTIONS_BETWEEN_LOOKS) === looks) return false;
    const { size } = this.log;
    if (this.transactions < TRANSACTIONS && size <= this.dueSize) return false;
    this.transactions = 0;
    // Not due again while the copy waits for its turn.
    this.dueSize = Math.max(this.dueSize, size) + LOG_SIZE;
    return true;
  }

  /**
   * Copies the log while the caller holds the writer.
   * @returns whether all of it has been copied: somebody who reads an earlier state keeps the rest in use
   * @throws LogSyncError
   */
  run(): Promise<boolean> {
    this.running = this.copy();
    return this.running;
  }

  /** Resolves when no copy is running any more. */
  async ended(): Promise<void> {
    await this.running?.catch(() => undefined);
  }

  private async copy(): Promise<boolean> {
    await this.log.synced();
    let isComplete: boolean;
    try {
      isComplete = this.copyFrames('PASSIVE');
      if (this.log.size > this.largeSize) isComplete = await this.awaitReaders();
    } finally {
      // Whatever happens: once SQLite has copied the log, the next commit may overwrite it.
      await this.log.watch(() => this.file.sync());
    }
    this.transactions = 0;
    this.dueSize = isComplete ? LOG_SIZE : this.log.size + LOG_SIZE;
    if (isComplete) this.largeSize = LARGE_LOG_SIZE;
    return isComplete;
  }

  /** Waits until nobody reads the log any more: those who begin now, while nothing is written, read the file alone. */
  private async awaitReaders(): Promise<boolean> {
    const deadline = performance.now() + READERS_WAIT_MS;
    let isComplete = this.copyFrames('RESTART');
    while (!isComplete && performance.now() < deadline) {
      await sleep(READERS_PAUSE_MS);
      isComplete = this.copyFrames('RESTART');
    }
    // A backup reads for long: writes do not wait for it again and again.
    if (!isComplete) this.largeSize = 2 * this.log.size;
    return isComplete;
  }

  private copyFrames(mode: 'PASSIVE' | 'RESTART'): boolean {
    this.writer.exec('PRAGMA synchronous = OFF');
    try {
      const [row] = this.writer.pragma(`wal_checkpoint(${mode})`);
      return row?.busy === 0 && row.log === row.checkpointed;
    } finally {
      this.writer.exec('PRAGMA synchronous = NORMAL');
    }
  }
}
