import { createHash, type Hash } from 'node:crypto';
import { addAbortSignal, pipeline, Readable, Transform } from 'node:stream';
import { type FileStorage, type StoredFile } from './file-storage';

/** The progress of a move. */
export interface MoveProgress {
  /** Number of files in the target. */
  files: number;
  bytes: number;
  /** Number of files in the source when the move began. */
  totalFiles: number;
  totalBytes: number;
}

/** The result of a move. */
export interface MoveResult {
  /** Number of files copied in this run. */
  copied: number;
  copiedBytes: number;
  /** Number of files that were already in the target. */
  present: number;
  /** Number of files removed from the source. */
  removed: number;
}

/** Options of a move. */
export interface MoveOptions {
  /** Called after each file. */
  onProgress?: (progress: MoveProgress) => void;
  /** Whether each file is removed from the source once its copy has been compared with it. */
  remove?: boolean;
  /** Stops the move; files in progress are abandoned. */
  signal?: AbortSignal;
}

/** The content of a copy differs from its source. */
export class DifferentCopyError extends Error {}

/** Number of files moved concurrently: most of the time of a small file is spent waiting for responses. */
const CONCURRENCY = 8;

/**
 * Copies all files from one storage to another, under the same keys. A file that the target has with the same size counts as
 * copied, because a storage never contains partial files; a second run therefore continues the first. Each copy is read again and
 * compared with its source. A copy of an earlier run is only compared before its source is removed.
 * @throws DifferentCopyError, StorageFailedError, and the reason of `signal`; another run continues the move
 */
export async function moveFiles(
  source: FileStorage,
  target: FileStorage,
  { onProgress, remove = false, signal }: MoveOptions = {},
): Promise<MoveResult> {
  const total = await measure(source, signal);
  const result: MoveResult = { copied: 0, copiedBytes: 0, present: 0, removed: 0 };
  const progress: MoveProgress = { files: 0, bytes: 0, totalFiles: total.files, totalBytes: total.bytes };
  const failure = new AbortController();
  const stop = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const files = source.list()[Symbol.asyncIterator]();

  const moveNext = async (): Promise<void> => {
    for (;;) {
      stop.throwIfAborted();
      const next = await files.next();
      if (next.done) return;
      const file = next.value;
      const outcome = await moveFile(source, target, file, remove, stop);
      if (outcome === 'gone') continue;
      result[outcome]++;
      if (outcome === 'copied') result.copiedBytes += file.size;
      if (remove) {
        await source.remove(file.key);
        result.removed++;
      }
      progress.files++;
      progress.bytes += file.size;
      onProgress?.({ ...progress });
    }
  };

  const workers = Array.from({ length: CONCURRENCY }, () =>
    moveNext().catch((error: unknown) => {
      failure.abort(error);
      throw error;
    }),
  );
  await Promise.allSettled(workers);
  // Throws the first failure, which has stopped the other workers.
  stop.throwIfAborted();
  return result;
}

/**
 * Returns whether two storages are the same place, which different settings can name: another path, a mount, or another address of a
 * bucket. A move within one place would remove the only copy of each file.
 */
export async function areSame(source: FileStorage, target: FileStorage): Promise<boolean> {
  const key = target.newKey();
  try {
    await target.write(key, Readable.from([Buffer.from(key)], { objectMode: false }));
    return (await source.size(key)) !== undefined;
  } finally {
    await target.remove(key);
  }
}

async function measure(source: FileStorage, signal?: AbortSignal): Promise<{ files: number; bytes: number }> {
  let files = 0;
  let bytes = 0;
  for await (const { size } of source.list()) {
    signal?.throwIfAborted();
    files++;
    bytes += size;
  }
  return { files, bytes };
}

async function moveFile(
  source: FileStorage,
  target: FileStorage,
  { key, size }: StoredFile,
  compare: boolean,
  signal: AbortSignal,
): Promise<'copied' | 'present' | 'gone'> {
  const isPresent = (await target.size(key)) === size;
  if (isPresent && !compare) return 'present';
  // Removes the partial file of a killed run.
  if (!isPresent) await target.remove(key);
  const content = await openFile(source, key, signal);
  if (!content) return 'gone';
  const hash = createHash('sha256');
  if (isPresent) {
    for await (const chunk of content) hash.update(chunk as Buffer);
    await requireCopy(target, key, hash.digest('hex'), signal);
    return 'present';
  }
  const written = await target.write(
    key,
    pipeline(content, hashing(hash), () => undefined),
  );
  if (written !== size) throw new DifferentCopyError(`The file ${key} differs in size from the listing.`);
  await requireCopy(target, key, hash.digest('hex'), signal);
  return 'copied';
}

/** Opens a file; returns undefined when it has been removed since it was listed. */
async function openFile(
  storage: FileStorage,
  key: string,
  signal: AbortSignal,
): Promise<Readable | undefined> {
  try {
    return addAbortSignal(signal, await storage.read(key));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Makes sure that only the file is missing, and not the storage.
    await storage.check();
    return undefined;
  }
}

/** @throws DifferentCopyError unless the target has a file with this SHA-256 */
async function requireCopy(
  target: FileStorage,
  key: string,
  sha256: string,
  signal: AbortSignal,
): Promise<void> {
  const copy = await openFile(target, key, signal);
  const hash = createHash('sha256');
  for await (const chunk of copy ?? []) hash.update(chunk as Buffer);
  if (!copy || hash.digest('hex') !== sha256) {
    throw new DifferentCopyError(`The copy of the file ${key} differs from its source.`);
  }
}

/** Returns a stream that passes bytes through and adds them to a hash. */
const hashing = (hash: Hash): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
