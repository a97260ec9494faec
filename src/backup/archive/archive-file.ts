import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, link, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Readable } from 'node:stream';
import { syncFolder } from '../../synced-folders';
import { BackupError, DamagedBackupError } from '../backup.error';
import { isSealed, seal, unseal } from './sealing';
import { readTar, type TarEntry } from './tar';

/** Twice as fast as the default, and about a tenth larger. */
const COMPRESSION = { level: 4 };
const GZIP_START = Buffer.of(0x1f, 0x8b);
const START_BYTES = 16;
/** What stands after the name of a file that is not complete. */
const PARTIAL_ENDING = /^\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.partial$/;
/** A run that writes nothing for so long was killed. */
const LEFTOVER_MS = 60 * 60_000;

/**
 * Writes an archive to a file that only its owner may read. The file is called `FILE.UUID.partial` until it is complete and on
 * disk, so that two runs do not share it. Removes those that a killed run left more than an hour ago.
 * @param passphrase encrypts the archive
 * @throws BackupError if the file exists
 */
export async function writeArchive(
  path: string,
  content: AsyncIterable<Buffer>,
  { passphrase, signal }: { passphrase?: string; signal?: AbortSignal } = {},
): Promise<{ bytes: number }> {
  await removeLeftovers(path);
  if (await exists(path)) throw alreadyExists(path);
  const partial = `${path}.${randomUUID()}.partial`;
  const file = createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true });
  try {
    const gzip = createGzip(COMPRESSION);
    const source = Readable.from(content, { objectMode: false, highWaterMark: 1 });
    if (passphrase === undefined) await pipeline(source, gzip, file, { signal });
    else await pipeline(source, gzip, seal(passphrase), file, { signal });
    await publish(partial, path);
    await syncFolder(dirname(path));
    return { bytes: (await stat(path)).size };
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** Removes the incomplete files of runs that were killed. */
async function removeLeftovers(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  // A folder that is missing is reported where the file is created.
  for (const found of await readdir(folder).catch(() => [])) {
    if (!found.startsWith(name) || !PARTIAL_ENDING.test(found.slice(name.length))) continue;
    const leftover = join(folder, found);
    // Another run may remove it at the same time.
    const { mtimeMs } = await stat(leftover).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < Date.now() - LEFTOVER_MS) await rm(leftover, { force: true });
  }
}

/**
 * Gives a complete file its name, which no file has yet: a rename would replace what another run has completed in the meantime.
 * @throws BackupError if a file has that name
 */
async function publish(partial: string, path: string): Promise<void> {
  try {
    await link(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw alreadyExists(path);
    return renameToFreeName(partial, path);
  }
  await rm(partial, { force: true });
}

/** Renames a file where the file system has no links. An empty file reserves the name. */
async function renameToFreeName(partial: string, path: string): Promise<void> {
  try {
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyExists(path) : error;
  }
  try {
    await rename(partial, path);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

const alreadyExists = (path: string): BackupError =>
  new BackupError(`${path} already exists: choose another name, or remove it.`);

/** Whether a passphrase is needed to read an archive. */
export async function isEncryptedArchive(path: string): Promise<boolean> {
  return isSealed(await startOf(path));
}

/**
 * Reads the entries of an archive.
 * @param what names the archive in errors
 * @throws BackupError if it is not an archive or needs a passphrase; DamagedBackupError if it was changed or truncated
 */
export async function* readArchive(
  path: string,
  passphrase?: string,
  what = 'a backup',
): AsyncGenerator<TarEntry> {
  const start = await startOf(path);
  const isEncrypted = isSealed(start);
  if (!isEncrypted && !start.subarray(0, 2).equals(GZIP_START)) {
    throw new BackupError(`${path} is not ${what} of this service.`);
  }
  if (isEncrypted && passphrase === undefined) {
    throw new BackupError(`${path} is encrypted: use --passphrase or --passphrase-file.`);
  }
  const file = createReadStream(path);
  yield* readTar(decompressed(isEncrypted ? unseal(file, passphrase as string) : file));
}

/** Decompresses a stream and reports damage as an error of the backup. */
async function* decompressed(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  const done = pipeline(source, gunzip);
  // Errors are reported where the content is read.
  done.catch(() => undefined);
  try {
    yield* gunzip as AsyncIterable<Buffer>;
    await done;
  } catch (error) {
    throw toDamagedBackupError(error);
  } finally {
    gunzip.destroy();
  }
}

function toDamagedBackupError(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code?.startsWith('Z_') || code === 'ERR_STREAM_PREMATURE_CLOSE'
    ? new DamagedBackupError('it was changed or truncated')
    : error;
}

async function startOf(path: string): Promise<Buffer> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new BackupError(`${path} cannot be read: ${(error as Error).message}.`, { cause: error });
  });
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(START_BYTES), 0, START_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
