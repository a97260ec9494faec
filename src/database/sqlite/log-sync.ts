import fs from 'node:fs';
import { Logger } from '@nestjs/common';

/** Time after which a sync that has not ended makes the service unready, in milliseconds. */
const SLOW_MS = 2000;

/** Writes the data of an open file to disk, on a thread of Node's pool. */
export const syncData = (descriptor: number): Promise<void> =>
  new Promise((resolve, reject) => fs.fdatasync(descriptor, (error) => (error ? reject(error) : resolve())));

/** A commit could not be synced to disk, or not in time. It is visible, and may or may not survive a loss of power. */
export class LogSyncError extends Error {
  /** The code of SQLite for its own failed syncs. */
  readonly code = 'SQLITE_IOERR';
}

const tooSlow = (): LogSyncError => new LogSyncError('A sync of the embedded database takes too long');

/**
 * Syncs the write-ahead log of the embedded database to disk, on a thread of Node's pool. One sync serves all commits made before it began,
 * so that the event loop does not wait for the disk, nor each commit for its own sync (`docs/decisions/0058-group-commit.md`).
 */
export class LogSync {
  private readonly descriptor: number;
  private readonly logger = new Logger('Database');
  /** The sync that is running, and the one after it, for the commits made since. */
  private running?: Promise<void>;
  private following?: Promise<void>;
  /** When each running sync began, on the clock of `performance.now()`. */
  private readonly begins = new Set<{ time: number }>();
  private failure?: LogSyncError;
  private isClosed = false;

  /**
   * @param path the write-ahead log, which exists
   * @param maxWait how long a commit waits, in milliseconds
   * @param syncEnded called when a sync has ended, before the next one begins
   */
  constructor(
    path: string,
    private readonly maxWait: number,
    private readonly syncEnded: () => void = () => undefined,
  ) {
    this.descriptor = fs.openSync(path, 'r+');
  }

  /** Whether a sync has failed. The kernel may have dropped what it could not write, so that no later one can be trusted. */
  get hasFailed(): boolean {
    return this.failure !== undefined;
  }

  /** Whether syncs succeed, and take no longer than usual. */
  get isHealthy(): boolean {
    if (this.failure) return false;
    const now = performance.now();
    return Array.from(this.begins).every(({ time }) => now - time < SLOW_MS);
  }

  get isSyncing(): boolean {
    return this.running !== undefined;
  }

  /** Size of the log in bytes. It may be larger than its contents. */
  get size(): number {
    return fs.fstatSync(this.descriptor).size;
  }

  /** @throws LogSyncError after a failed sync, or while one hangs: a write would be stored, but could not be acknowledged */
  refuseUnhealthy(): void {
    if (this.failure) throw this.failure;
    if (!this.isHealthy) throw tooSlow();
  }

  /** Resolves when all commits made before are on disk. @throws LogSyncError */
  async synced(): Promise<void> {
    if (this.failure) throw this.failure;
    if (this.isClosed) throw new LogSyncError('The embedded database is closed');
    this.following ??= this.syncAfter(this.running);
    await this.inTime(this.following);
  }

  /** Runs a sync that the commits depend on. If it fails, all later commits fail too, because one before them may be lost. @throws LogSyncError */
  async watch(sync: () => Promise<void>): Promise<void> {
    const begin = { time: performance.now() };
    this.begins.add(begin);
    try {
      await sync();
    } catch (error) {
      throw this.fail(error);
    } finally {
      this.begins.delete(begin);
    }
  }

  /** Resolves when no sync is running any more. */
  async close(): Promise<void> {
    this.isClosed = true;
    while (this.running ?? this.following) await Promise.allSettled([this.running, this.following]);
    fs.closeSync(this.descriptor);
  }

  private async syncAfter(previous: Promise<void> | undefined): Promise<void> {
    await previous?.catch(() => undefined);
    this.running = this.following;
    this.following = undefined;
    try {
      if (this.failure) throw this.failure;
      await this.watch(() => syncData(this.descriptor));
    } finally {
      this.running = undefined;
      this.syncEnded();
    }
  }

  private fail(cause: unknown): LogSyncError {
    if (!this.failure) {
      this.failure = new LogSyncError('The embedded database could not be synced to disk', { cause });
      this.logger.fatal(
        { err: cause },
        'The embedded database could not be synced to disk: restart the service',
      );
    }
    return this.failure;
  }

  /** Waits for a commit that cannot be made before a sync has ended, no longer than that sync may take. @throws LogSyncError */
  async madeAfterSync(commit: Promise<void>): Promise<void> {
    // A transaction that delays it does not count.
    await this.inTime(commit, () => this.isSyncing);
  }

  private async inTime(sync: Promise<void>, isLate = () => true): Promise<void> {
    if (this.maxWait === Infinity) return sync;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => isLate() && reject(tooSlow()), this.maxWait);
    });
    try {
      await Promise.race([sync, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}
