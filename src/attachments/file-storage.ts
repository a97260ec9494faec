import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { ServiceUnavailableError } from '../errors/domain-errors';

/** A file in a storage. */
export interface StoredFile {
  key: string;
  /** In bytes. */
  size: number;
}

/** How long files without a row are kept after they were put aside, in days; as long as folders of git repositories. */
export const ORPHAN_DAYS = 30;

const KEY = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Returns whether a name has the format of a storage key. */
export const isKey = (name: string): boolean => KEY.test(name);

/**
 * Returns the name of a file, which is the same in every storage, so that a move is a plain copy.
 * @throws NoFileError for a key without the format of one, such as a path, which a restored row may have
 */
export function objectName(key: string): string {
  if (!isKey(key)) throw new NoFileError(`${JSON.stringify(key)} is not a storage key.`);
  return `${key.slice(0, 2)}/${key}`;
}

/** Stores the content of files, under keys that do not reveal their names. */
export abstract class FileStorage {
  /** Returns an unused key. */
  newKey(): string {
    return randomUUID();
  }

  /**
   * Prepares the storage at startup.
   * @param isInUse whether files have been stored before
   * @throws Error with a line for the operator when files cannot be stored, or the files stored before are missing
   */
  abstract prepare(isInUse: boolean): Promise<void>;

  /** Checks that the storage is available, without writing. @throws when it is not */
  abstract check(): Promise<void>;

  /** Checks that files can be stored. @throws when they currently cannot */
  abstract probe(): Promise<void>;

  /**
   * Stores a stream under a key. The file is complete and durable when the promise resolves, and does not exist when it rejects.
   * @returns its size in bytes
   * @throws UncertainWriteError when the file may still appear
   */
  abstract write(key: string, content: Readable): Promise<number>;

  /**
   * Opens the file under a key. The caller must read the stream to its end or destroy it.
   * @param signal cancels opening; has no effect later
   * @throws an error with the code ENOENT when the file does not exist
   */
  abstract read(key: string, signal?: AbortSignal): Promise<Readable>;

  /** Removes the file under a key, even if it is incomplete; does nothing when it does not exist. */
  abstract remove(key: string): Promise<void>;

  /** Moves the file under a key that no row names to `orphans`; removes it if it is incomplete. */
  abstract putAside(key: string): Promise<void>;

  /** Removes the files that were put aside more than `ORPHAN_DAYS` ago. */
  abstract removeOrphans(now?: number): Promise<void>;

  /** Returns the size of the file under a key, in bytes; undefined when it does not exist. */
  abstract size(key: string): Promise<number | undefined>;

  /** Returns when the file under a key was last written, even if it is incomplete, in milliseconds since 1970; undefined if there is none. */
  abstract writtenAt(key: string): Promise<number | undefined>;

  /** Yields all files, in no particular order. */
  abstract list(): AsyncIterable<StoredFile>;

  /** Yields the files that are being written, or that a killed process has left incomplete. */
  listIncomplete(): AsyncIterable<StoredFile> {
    return Readable.from([]);
  }

  /** Closes connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A remote storage is currently unavailable. */
export class StorageFailedError extends Error {}

/** A write failed without a response about its outcome. The content may appear minutes later. */
export class UncertainWriteError extends StorageFailedError {}

/** There is no file under a key. */
export class NoFileError extends Error {
  readonly code = 'ENOENT';
}

/** Error codes of a file system that is full, read-only, broken or gone, or of a process with too many open files. */
const FAILURES = new Set([
  'EACCES',
  'EBUSY',
  'EDQUOT',
  'EIO',
  'EISDIR',
  'EMFILE',
  'ENFILE',
  'ENODEV',
  'ENOENT',
  'ENOSPC',
  'ENOTCONN',
  'ENOTDIR',
  'ENXIO',
  'EPERM',
  'EROFS',
  'ESTALE',
  'ETIMEDOUT',
]);

/** Converts an error to the one to respond with: a 503 if the storage is currently unavailable. */
export function toStorageError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const isFailure = error instanceof StorageFailedError || (code !== undefined && FAILURES.has(code));
  return isFailure ? new ServiceUnavailableError(error) : error;
}
