import { lstatSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { type Environment } from '../../config/environment';

/** Maximum length of a socket's path in bytes, without the zero at its end; a longer one would be cut off silently. */
const MAX_PATH_BYTES = process.platform === 'linux' ? 107 : 103;

/** Where a running service listens for commands. */
export interface SocketPlace {
  /** A folder for the socket alone, because the data folder may be open to other users. */
  folder: string;
  /** The path of the socket: relative to the working folder if that is shorter. */
  path: string;
  /** The path of the database file. */
  database: string;
}

/** Returns the place of the socket for commands that write; undefined where they need none: on a server, in memory, on Windows. */
export function socketPlace(
  { isEmbeddedDatabase, DATABASE_URL, databaseName }: Environment,
  workingFolder = process.cwd(),
): SocketPlace | undefined {
  if (!isEmbeddedDatabase || DATABASE_URL === 'sqlite::memory:' || process.platform === 'win32') {
    return undefined;
  }
  const database = resolve(workingFolder, databaseName);
  const folder = `${database}.control`;
  const path = join(folder, 'socket');
  const short = relative(workingFolder, path);
  return { folder, path: Buffer.byteLength(short) < Buffer.byteLength(path) ? short : path, database };
}

/** Whether the system can use a path for a socket. */
export const isUsableForSocket = (path: string): boolean => Buffer.byteLength(path) <= MAX_PATH_BYTES;

/** Whether root may trust a folder: it belongs to root or to the owner of the database, whose service listens there. */
export function isOfDatabaseOwner({ folder, database }: SocketPlace): boolean {
  const owner = lstatSync(folder, { throwIfNoEntry: false })?.uid;
  return owner === 0 || (owner !== undefined && owner === statSync(database, { throwIfNoEntry: false })?.uid);
}

/**
 * Whether only its owner can use a folder, and the owner is this user.
 * @param isForRoot whether root may use other users' folders
 */
export function isPrivateFolder(folder: string, isForRoot: boolean): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (!found?.isDirectory() || (found.mode & 0o077) !== 0) return false;
  const user = process.getuid?.();
  return user === found.uid || (isForRoot && user === 0);
}
