import { closeSync, existsSync, mkdirSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRetryable } from '../database-errors';
import { DatabaseInUseError, StartRefusedError } from '../start-refused.error';
import { collectGarbage } from './collect-garbage';
import { SqliteDatabase } from './node-sqlite';

/** How often the lock is tried before the start is refused; two that start at once can get into each other's way. */
const LOCK_ATTEMPTS = 20;
const LONGEST_PAUSE_MS = 50;
/** Where the header of a database has its `user_version`, four bytes. */
const USER_VERSION_OFFSET = 60;
const LARGEST_GENERATION = 2 ** 31 - 1;

/** A database file as it was closed. */
interface ClosedFile {
  size: number;
  modified: number;
}

/**
 * The file of the embedded database while this process has it open. A second database beside it, `service.db.lock`, is locked
 * exclusively until then: the kernel releases that lock when the process ends, even after a crash. It contains
 *
 * - which generation of the file this process works on, a random number that each start also writes into the file's header:
 *   another copy of the file has another one, so that it is noticed beside a `-wal` that does not belong to it;
 * - size and time of the file as it was closed in order; only a file that is no longer the same is checked at the start.
 */
export class DatabaseFile {
  private constructor(
    private readonly path: string,
    private readonly lock: SqliteDatabase,
  ) {}

  /**
   * Takes the file for this process, and finds out whether it can be used. Opens it to read only, so that a file which is
   * refused stays as it is.
   * @throws DatabaseInUseError when another process has it, StartRefusedError when it is damaged or incomplete
   */
  static async claim(path: string): Promise<DatabaseFile> {
    if (statOf(path)?.isDirectory()) {
      throw Object.assign(new Error(`${path} is a folder`), { code: 'SQLITE_CANTOPEN' });
    }
    mkdirSync(dirname(path), { recursive: true });
    const lock = new SqliteDatabase(`${path}.lock`, { timeout: 0 });
    try {
      await lockFor(path, lock);
      const file = new DatabaseFile(path, lock);
      await file.examine();
      return file;
    } catch (error) {
      closeLock(lock);
      throw error;
    }
  }

  /** Creates the file, unless it exists. Only its owner may read it; SQLite gives the write-ahead log the same permissions. */
  create(): void {
    if (!existsSync(this.path)) closeSync(openSync(this.path, 'a', 0o600));
  }

  /**
   * Gives the opened file its new generation.
   * @param database the connection that writes, in WAL mode
   */
  beginGeneration(database: SqliteDatabase): void {
    const generation = randomInt(1, LARGEST_GENERATION);
    // The old one stays until the file's header has the new one, of which a crash can keep it.
    this.lock.exec(
      `INSERT OR IGNORE INTO generation (number) VALUES (${headerGeneration(this.path)}), (${generation})`,
    );
    database.pragma(`user_version = ${generation}`);
    if (checkpoint(database)) this.lock.exec(`DELETE FROM generation WHERE number <> ${generation}`);
  }

  /** Notes how the file was closed, and gives it to the next process. */
  release(): void {
    try {
      if (!this.hasLog()) {
        const { size, mtimeMs } = statSync(this.path);
        this.lock.exec(`INSERT INTO closed (size, modified) VALUES (${size}, ${mtimeMs})`);
      }
    } finally {
      closeLock(this.lock);
    }
  }

  /** Whether commits are still in the write-ahead log. */
  hasLog(): boolean {
    return (sizeOf(`${this.path}-wal`) ?? 0) > 0;
  }

  /** Whether the write-ahead log is there, be it empty. */
  hasLogFile(): boolean {
    return existsSync(`${this.path}-wal`);
  }

  /** Has SQLite remove the empty write-ahead log, unless something has the file open. */
  removeLog(): void {
    removeLog(this.path);
  }

  private async examine(): Promise<void> {
    const [closed] = this.lock.prepare('SELECT size, modified FROM closed').all() as unknown as ClosedFile[];
    // A stop leaves no log: this lock file has come back from a backup, with the database and without the log.
    if (closed && this.hasLog()) this.refuseLog();
    // From here on the file is changed.
    this.lock.exec('DELETE FROM closed');
    if (this.hasLog()) this.refuseForeignLog();
    const file = statOf(this.path);
    if (!file || file.size === 0) return;
    if (closed && !this.hasLog() && closed.size === file.size && closed.modified === file.mtimeMs) return;
    await this.refuseDamage();
  }

  /** @throws StartRefusedError when the write-ahead log belongs to another copy of the file */
  private refuseForeignLog(): void {
    const known = this.lock.prepare('SELECT number FROM generation').all();
    const isMissing = (sizeOf(this.path) ?? 0) === 0;
    const isOwn = known.length === 0 || known.some(({ number }) => number === headerGeneration(this.path));
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

  /** @throws StartRefusedError when the file is damaged */
  private async refuseDamage(): Promise<void> {
    let problem: unknown;
    try {
      const database = new SqliteDatabase(this.path, { readonly: true });
      try {
        const [row] = database.pragma('quick_check(1)');
        problem = row?.quick_check;
      } finally {
        database.close();
        // Until its statement has been collected the package's connection would stay open.
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
 * Removes the empty write-ahead log that a connection which only reads leaves where there was none. If something else has the file
 * open, the log stays.
 */
export async function removeEmptyLog(path: string): Promise<void> {
  // Until its statements have been collected the package's connection stays open.
  await collectGarbage();
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

/** Whether a statement has found the file damaged. */
export const isCorruption = (error: unknown): boolean =>
  ['SQLITE_CORRUPT', 'SQLITE_NOTADB'].includes((error as { code?: string }).code ?? '');

/**
 * Moves what is committed from the write-ahead log into the file, and empties the log.
 * @returns false when somebody else's reading is in the way
 */
export function checkpoint(database: SqliteDatabase): boolean {
  const [row] = database.pragma('wal_checkpoint(TRUNCATE)');
  return row?.busy === 0;
}

async function lockFor(path: string, lock: SqliteDatabase): Promise<void> {
  // Held beyond the transaction, until the connection is closed.
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
  // Gives the lock back at the next access, also where statements that are not collected yet keep the connection open.
  lock.exec('PRAGMA locking_mode = NORMAL');
  try {
    lock.exec('SELECT COUNT(*) FROM sqlite_master');
  } catch (error) {
    // It was another process's.
    if (!isRetryable(error)) throw error;
  } finally {
    lock.close();
  }
}

/** The generation in the header of the file itself, whatever a write-ahead log says; 0 in a new one. */
function headerGeneration(path: string): number {
  if ((sizeOf(path) ?? 0) < USER_VERSION_OFFSET + 4) return 0;
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    readSync(descriptor, bytes, 0, bytes.length, USER_VERSION_OFFSET);
    return bytes.readInt32BE();
  } finally {
    closeSync(descriptor);
  }
}

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
const sizeOf = (path: string): number | undefined => statOf(path)?.size;
