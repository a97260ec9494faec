import { createHash } from 'node:crypto';
import { Header } from 'tar/header';
import { DamagedBackupError } from '../backup.error';

/**
 * Reads and writes the entries of a tar archive as streams. All are regular files with short names, so that the archive needs no extensions
 * of the format, and any tar program can read it.
 */

const BLOCK = 512;
const PADDING = Buffer.alloc(BLOCK);
const END = Buffer.alloc(2 * BLOCK);
/** The most that may follow the first block of the end; tar programs fill up to some kilobytes. */
const MAX_END = 1024 * 1024;
/** The longest name in an error. */
const MAX_SHOWN = 100;

/** An entry to be read once, before the next one. Its unread content is skipped. */
export interface TarEntry {
  path: string;
  size: number;
  content: () => AsyncGenerator<Buffer>;
}

/** Result of writing a stream. */
export interface WrittenContent {
  sha256: string;
  /** Whether the stream had the announced number of bytes; otherwise it was truncated or padded with zeros. */
  isComplete: boolean;
}

/** Yields an entry with the given content. */
export function* tarEntry(path: string, content: Buffer, modified: Date): Generator<Buffer> {
  yield header(path, content.length, modified);
  yield content;
  yield padding(content.length);
}

/**
 * Yields an entry with the content of a stream.
 * @param size size of the entry in bytes, regardless of the stream's
 */
export async function* tarStream(
  path: string,
  size: number,
  content: AsyncIterable<Buffer>,
  modified: Date,
): AsyncGenerator<Buffer, WrittenContent> {
  yield header(path, size, modified);
  const hash = createHash('sha256');
  let left = size;
  let isComplete = true;
  for await (const chunk of content) {
    const part = chunk.subarray(0, left);
    isComplete &&= part.length === chunk.length;
    left -= part.length;
    hash.update(part);
    if (part.length > 0) yield part;
  }
  isComplete &&= left === 0;
  while (left > 0) {
    // The digest is that of the entry as it is read again.
    const part = PADDING.subarray(0, Math.min(left, BLOCK));
    hash.update(part);
    yield part;
    left -= part.length;
  }
  yield padding(size);
  return { sha256: hash.digest('hex'), isComplete };
}

/** Returns the end of an archive. */
export const tarEnd = (): Buffer => END;

/** Reads the entries of an archive. @throws DamagedBackupError if it is not an archive or ends early */
export async function* readTar(source: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new ByteReader(source);
  try {
    for (;;) {
      const block = await bytes.take(BLOCK);
      if (block.equals(PADDING)) break;
      const { path, size } = readHeader(block);
      const content = bytes.stream(size);
      yield { path, size, content: () => content };
      // Skips the unread content.
      while (!(await content.next()).done);
      await bytes.take(padding(size).length);
    }
    // Reads to the end, where the layers below verify what they have read.
    await bytes.readEnd();
  } finally {
    await bytes.close();
  }
}

/** @throws DamagedBackupError if it is not the header of a regular file */
function readHeader(block: Buffer): { path: string; size: number } {
  try {
    const { path, size, type, cksumValid } = new Header(block);
    const isSize = Number.isSafeInteger(size) && Number(size) >= 0;
    if (cksumValid && path !== undefined && isSize) {
      if (type === 'File') return { path, size: Number(size) };
      throw new DamagedBackupError(`its entry ${JSON.stringify(path.slice(0, MAX_SHOWN))} is not a file`);
    }
  } catch (error) {
    if (error instanceof DamagedBackupError) throw error;
    // The package refuses some numbers.
  }
  throw new DamagedBackupError('it has an entry that cannot be read');
}

function header(path: string, size: number, modified: Date): Buffer {
  const data = { path, size, type: 'File' as const, mode: 0o600, mtime: modified, uid: 0, gid: 0 };
  const entry = new Header(data);
  entry.encode();
  if (entry.needPax || !entry.block) throw new Error(`${path} does not fit a header`);
  return entry.block;
}

const padding = (size: number): Buffer => PADDING.subarray(0, (BLOCK - (size % BLOCK)) % BLOCK);

/** Reads pieces of given sizes from a stream of bytes. */
class ByteReader {
  private readonly source: AsyncIterator<Buffer>;
  private rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.source = source[Symbol.asyncIterator]();
  }

  async take(size: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for await (const part of this.stream(size)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *stream(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      if (this.rest.length === 0 && !(await this.readChunk())) throw new DamagedBackupError('it ends early');
      const part = this.rest.subarray(0, left);
      this.rest = this.rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  /** Reads the zeros after the last entry. @throws DamagedBackupError if there is anything else */
  async readEnd(): Promise<void> {
    let bytes = 0;
    do {
      bytes += this.rest.length;
      if (bytes > MAX_END || this.rest.some((byte) => byte !== 0)) {
        throw new DamagedBackupError('it has data after its end');
      }
    } while (await this.readChunk());
  }

  async close(): Promise<void> {
    await this.source.return?.();
  }

  private async readChunk(): Promise<boolean> {
    const next = await this.source.next();
    if (next.done) return false;
    this.rest = next.value;
    return true;
  }
}
