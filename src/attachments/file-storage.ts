import { randomUUID } from 'node:crypto';
import { type Readable } from 'node:stream';
import { ServiceUnavailableError } from '../errors/domain-errors';

/** A file in a storage. */
export interface StoredFile {
  key: string;
  /** In bytes. */
  size: number;
}

const KEY = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Whether a name is a key that a storage has given. */
export const isKey = (name: string): boolean => KEY.test(name);

/** The name of a file in every storage, so that a move is a copy. */
export const objectName = (key: string): string => `${key.slice(0, 2)}/${key}`;

/** Where the bytes of files are kept, under keys that say nothing of their names. */
export abstract class FileStorage {
  /** A key that no file has. */
  newKey(): string {
    return randomUUID();
  }

  /**
   * Makes the storage ready at start.
   * @param isInUse files have been stored before
   * @throws Error with a line for the operator when files cannot be stored, or those stored before are not there
   */
  abstract prepare(isInUse: boolean): Promise<void>;

  /** Looks whether the storage is there, and writes nothing. @throws when it is not */
  abstract check(): Promise<void>;

  /** Looks whether files can be stored. @throws when that is not possible at the moment */
  abstract probe(): Promise<void>;

  /**
   * Stores a stream under a key. It is whole and durable when the promise resolves, and not there at all when it rejects.
   * @returns its size in bytes
   * @throws UncertainWriteError when it may still appear
   */
  abstract write(key: string, content: Readable): Promise<number>;

  /**
   * Opens what is under a key. Whoever asks reads it to its end or destroys it.
   * @param signal gives up opening; it may be aborted later without effect
   * @throws an error of the code ENOENT when nothing is there
   */
  abstract read(key: string, signal?: AbortSignal): Promise<Readable>;

  /** Removes what is under a key, half-written or whole; nothing there is no error. */
  abstract remove(key: string): Promise<void>;

  /** The size of what is under a key, in bytes; undefined when nothing is there. */
  abstract size(key: string): Promise<number | undefined>;

  /** All files, in no particular order. */
  abstract list(): AsyncIterable<StoredFile>;

  /** Gives up connections. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A storage elsewhere cannot be used at the moment. */
export class StorageFailedError extends Error {}

/** A write failed without an answer that tells whether the content is stored. It may appear minutes later. */
export class UncertainWriteError extends StorageFailedError {}

/** Nothing is under a key. */
export class NoFileError extends Error {
  readonly code = 'ENOENT';
}

/** What a file system says when it is full, read-only, broken or gone, or when the process has too many files open. */
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

/** The error to respond with: a 503 if the storage cannot be used at the moment. */
export function toStorageError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const isFailure = error instanceof StorageFailedError || (code !== undefined && FAILURES.has(code));
  return isFailure ? new ServiceUnavailableError(error) : error;
}
