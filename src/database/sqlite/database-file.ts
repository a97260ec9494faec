import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '../connections/database-errors';
import { DatabaseInUseError, StartRefusedError } from '../connections/start-refused.error';
import { collectGarbage } from './collect-garbage';
import { syncData } from './log-sync';
import { closesAtOnce, SqliteDatabase } from './node-sqlite';
import { refuseRestoreDraft } from './restore-draft';

/** Maximum attempts at the lock before startup is refused; two processes that start at once can get in each other's way. */
const LOCK_ATTEMPTS = 20;
const LONGEST_PAUSE_MS = 50;
/** Offset of the four-byte `user_version` in the header of a database. */
const USER_VERSION_OFFSET = 60;
const LARGEST_GENERATION = 2 ** 31 - 1;

/** State of a database file when it was closed. */
interface ClosedFile {
  size: number;
  modified: number;
}

/**
 * The file of the embedded database while this process has it open. For that time, a second database beside it, `service.db.lock`, is
 * locked exclusively: the kernel releases that lock when the process ends, even after a crash. It contains
 *
 * - the generation of the file that this process works on, a random number that each start also writes into the file's header: another copy
 *   of the file has a different one, so that it is noticed beside a `-wal` that does not belong to it;
 * - size and time of the file at the last clean shutdown; startup checks only a file that has changed since.
 */
export class DatabaseFile {
  /**
   * The file, for reading its header. It stays open until the connections are closed: when a process closes any descriptor of a file, the
   * kernel drops all of its locks on it, among them those that keep other processes from removing the write-ahead log.
   */
  private descriptor?: number;

  private constructor(
    private readonly path: string,
    private readonly lock: SqliteDatabase,
  ) {}

  /**
   * Claims the file for this process and checks whether it can be used. Opens it read-only, so that a rejected file stays unchanged.
   * @param isRestore whether the process is about to restore a backup into it
   * @throws DatabaseInUseError if another process has it, StartRefusedError if it is damaged or incomplete
   */
  static async claim(path: string, isRestore = false): Promise<DatabaseFile> {
    if (statOf(path)?.isDirectory()) {
      throw Object.assign(new Error(`${path} is a folder`), { code: 'SQLITE_CANTOPEN' });
    }
    mkdirSync(dirname(path), { recursive: true });
    const file = new DatabaseFile(path, new SqliteDatabase(`${path}.lock`, { timeout: 0 }));
    try {
      await lockFor(path, file.lock);
      if (!isRestore) refuseRestoreDraft(path);
      if (existsSync(path)) file.descriptor = openSync(path, 'r');
      await file.examine();
      return file;
    } catch (error) {
      file.close();
      throw error;
    }
  }

  /** Creates the file unless it exists. Only its owner may read it; SQLite gives the write-ahead log the same permissions. */
  create(): void {
    this.descriptor ??= openSync(this.path, 'a+', 0o600);
  }

  /**
   * Assigns a new generation to the opened file.
   * @param database the writing connection, in WAL mode
   * @param copyLog copies the log into the file; returns whether it is complete
   */
  async beginGeneration(database: SqliteDatabase, copyLog: () => boolean | Promise<boolean>): Promise<void> {
    const generation = randomInt(1, LARGEST_GENERATION);
    // The old generation stays until the file's header has the new one, because a crash can keep it from getting there.
    this.lock.exec(
      `INSERT OR IGNORE INTO generation (number) VALUES (${this.headerGeneration()}), (${generation})`,
    );
    database.pragma(`user_version = ${generation}`);
    if (await copyLog()) this.lock.exec(`DELETE FROM generation WHERE number <> ${generation}`);
  }

  /**
   * Records the state of the closed file and releases it for the next process.
   * @param isDamaged whether the file was found damaged; without a record, the next start checks it
   */
  release(isDamaged = false): void {
    try {
      if (!isDamaged && !this.hasLog()) {
        const { size, mtimeMs } = statSync(this.path);
        this.lock.exec(`INSERT INTO closed (size, modified) VALUES (${size}, ${mtimeMs})`);
      }
    } finally {
      this.close();
    }
  }

  private close(): void {
    closeLock(this.lock);
    if (this.descriptor !== undefined) closeSync(this.descriptor);
  }

  /** Returns the generation in the header of the file itself, regardless of any write-ahead log; 0 for a new file. */
  private headerGeneration(): number {
    const bytes = Buffer.alloc(4);
    if (this.descriptor !== undefined) readSync(this.descriptor, bytes, 0, bytes.length, USER_VERSION_OFFSET);
    return bytes.readInt32BE();
  }

  /** Syncs the opened file to disk. */
  sync(): Promise<void> {
    return syncData(this.descriptor as number);
  }

  /** The path of the write-ahead log. SQLite places it beside the file itself, also if that is opened through a symbolic link. */
  get logPath(): string {
    return `${existsSync(this.path) ? realpathSync(this.path) : this.path}-wal`;
  }

  /** Whether the write-ahead log contains commits. */
  hasLog(): boolean {
    return (sizeOf(this.logPath) ?? 0) > 0;
  }

  /** Whether the write-ahead log exists, even if empty. */
  hasLogFile(): boolean {
    return existsSync(this.logPath);
  }

  /** Makes SQLite remove the empty write-ahead log, unless the file is open elsewhere. */
  removeLog(): void {
    removeLog(this.path);
  }

  private async examine(): Promise<void> {
    const [closed] = this.lock.prepare('SELECT size, modified FROM closed').all() as unknown as ClosedFile[];
    // A clean shutdown leaves no log: the lock file and the database come from a backup, but the log does not.
    if (closed && this.hasLog()) this.refuseLog();
    // The file may change from here on.
    this.lock.exec('DELETE FROM closed');
    if (this.hasLog()) this.refuseForeignLog();
    const file = statOf(this.path);
    if (!file || file.size === 0) return;
    if (closed && !this.hasLog() && closed.size === file.size && closed.modified === file.mtimeMs) return;
    await this.refuseDamage();
  }

  /** @throws StartRefusedError if the write-ahead log belongs to another copy of the file */
  private refuseForeignLog(): void {
    const known = this.lock.prepare('SELECT number FROM generation').all();
    const isMissing = (sizeOf(this.path) ?? 0) === 0;
    const isOwn = known.length === 0 || known.some(({ number }) => number === this.headerGeneration());
    if (!isOwn || isMissing) this.refuseLog();
  }

  /** @throws StartRefusedError */
  private refuseLog(): never {
    const isMissing = (sizeOf(this.path) ?? 0) === 0;
    throw new StartRefusedError(
      `${this.path} is ${isMissing ? 'missing' : 'not the file'} that ${this.path}-wal belongs to: ` +
        `to start from a restored copy, move ${this.path}-wal and ${this.path}-shm away; otherwise put the file back.`,
    );
  }

  /** @throws StartRefusedError if the file is damaged */
  private async refuseDamage(): Promise<void> {
    let problem: unknown;
    try {
      const database = new SqliteDatabase(this.path, { readonly: true });
      try {
        const [row] = database.pragma('quick_check(1)');
        problem = row?.quick_check;
      } finally {
        database.close();
        // The package's connection would stay open until its statement is garbage-collected.
        await collectGarbage('minor');
      }
    } catch (error) {
      if (!isCorruption(error)) throw error;
      problem = (error as Error).message;
    }
    if (problem === 'ok') return;
    throw new StartRefusedError(
      `${this.path} is damaged (${String(problem).replaceAll('\n', ' ')}): move it, ${this.path}-wal and ` +
        `${this.path}-shm away, and restore a backup.`,
    );
  }
}

/**
 * Removes the empty write-ahead log that a read-only connection leaves where there was none. If the file is open elsewhere, the log stays.
 */
export async function removeEmptyLog(path: string): Promise<void> {
  if (!closesAtOnce()) await collectGarbage();
  if (sizeOf(`${path}-wal`) === 0) removeLog(path);
}

function removeLog(path: string): void {
  const database = new SqliteDatabase(path, { timeout: 0 });
  try {
    database.exec('SELECT COUNT(*) FROM sqlite_master');
  } catch (error) {
    if (!isRetryable(error)) throw error;
  } finally {
    database.close();
  }
}

/** Whether a statement failed because the file is damaged. */
export const isCorruption = (error: unknown): boolean =>
  ['SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes((error as { code?: string }).code ?? '');

/**
 * Moves the commits from the write-ahead log into the file and empties the log.
 * @returns false if another reader prevents it
 */
export function checkpoint(database: SqliteDatabase): boolean {
  const [row] = database.pragma('wal_checkpoint(TRUNCATE)');
  return row?.busy === 0;
}

async function lockFor(path: string, lock: SqliteDatabase): Promise<void> {
  // The lock is held beyond the transaction, until the connection is closed.
  lock.exec('PRAGMA locking_mode = EXCLUSIVE');
  for (let attempt = 1; ; attempt++) {
    try {
      lock.exec(`BEGIN EXCLUSIVE;
        CREATE TABLE IF NOT EXISTS generation (number INTEGER PRIMARY KEY);
        CREATE TABLE IF NOT EXISTS closed (size INTEGER NOT NULL, modified REAL NOT NULL);
        COMMIT`);
      return;
    } catch (error) {
      if (!isRetryable(error)) throw error;
      if (attempt >= LOCK_ATTEMPTS) {
        throw new DatabaseInUseError(
          `${path} is in use by another process: stop that one first, or set DATABASE_URL to another file or to a server.`,
        );
      }
      await sleep(Math.random() * LONGEST_PAUSE_MS);
    }
  }
}

function closeLock(lock: SqliteDatabase): void {
  // Releases the lock at the next access, even if uncollected statements keep the connection open.
  lock.exec('PRAGMA locking_mode = NORMAL');
  try {
    lock.exec('SELECT COUNT(*) FROM sqlite_master');
  } catch (error) {
    // Another process holds the lock.
    if (!isRetryable(error)) throw error;
  } finally {
    lock.close();
  }
}

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
const sizeOf = (path: string): number | undefined => statOf(path)?.size;
