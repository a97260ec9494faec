import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { isMissing } from '../../errors/missing-file';
import { SourceError } from '../source.error';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const IDENTITY = 'source.json';
const PARTIAL = '.partial';

/** An answer of a source, as the spool keeps it. */
export interface KeptAnswer {
  status: number;
  body: string;
  /** Whether it links to the next page of a list. */
  hasNext?: true;
}

/** A downloaded file; without a path if the source has no content for it. */
export interface KeptFile {
  path?: string;
  size: number;
}

/**
 * The folder in which a source's answers and files are kept by their addresses, so that a repeated run asks for nothing twice. An entry is
 * there as a whole or not at all (`docs/decisions/0070-sources.md`).
 */
export class Spool {
  private constructor(
    readonly folder: string,
    /** When the spool was begun, in milliseconds: the time of what is read, also by a repeated run. */
    readonly begun: number,
    private readonly maxAnswerBytes: number,
  ) {}

  /**
   * Opens a spool, or begins one.
   * @param identity what the spool is of
   * @throws SourceError if it is of something else
   */
  static async open(folder: string, identity: object, maxAnswerBytes: number): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, IDENTITY);
    const known = await readFile(path, 'utf8').catch(undefinedIfMissing);
    if (known !== undefined) {
      const { begun, ...before } = JSON.parse(known) as { begun: number };
      if (isDeepStrictEqual(before, identity)) return new Spool(folder, begun, maxAnswerBytes);
      throw new SourceError(
        `${folder} is the spool of another source or of other projects: choose an empty folder.`,
      );
    }
    if ((await readdir(folder)).some((name) => !name.startsWith(IDENTITY))) {
      throw new SourceError(`${folder} is not a spool: choose an empty folder.`);
    }
    const begun = Date.now();
    await replaceFile(path, Buffer.from(`${JSON.stringify({ ...identity, begun })}\n`));
    return new Spool(folder, begun, maxAnswerBytes);
  }

  /** Returns the answer to an address, if it is kept. */
  async answer(address: string): Promise<KeptAnswer | undefined> {
    const bytes = await readFile(this.answerPath(address)).catch(undefinedIfMissing);
    if (!bytes) return undefined;
    // The limit leaves room for the status and for the quotes that JSON adds.
    const text = await decompress(bytes, { maxOutputLength: 2 * this.maxAnswerBytes + 1024 });
    return JSON.parse(text.toString()) as KeptAnswer;
  }

  /** Whether the answer to an address is kept. */
  async hasAnswer(address: string): Promise<boolean> {
    return (await stat(this.answerPath(address)).catch(undefinedIfMissing)) !== undefined;
  }

  async keepAnswer(address: string, answer: KeptAnswer): Promise<void> {
    await replaceFile(
      this.answerPath(address),
      await compress(JSON.stringify({ ...answer, address }), { level: 4 }),
    );
  }

  /** Returns the file of an address, if it is kept. */
  async file(address: string): Promise<KeptFile | undefined> {
    const path = this.filePath(address);
    const found = await stat(path).catch(undefinedIfMissing);
    if (found) return { path, size: found.size };
    return (await stat(`${path}.lost`).catch(undefinedIfMissing)) && { size: 0 };
  }

  /**
   * Keeps the content of a file, without holding it in memory.
   * @param most bytes that it may have
   * @returns undefined if it has more
   */
  async keepFile(
    address: string,
    content: AsyncIterable<Buffer>,
    most: number,
  ): Promise<KeptFile | undefined> {
    const path = this.filePath(address);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const partial = newPartial(path);
    let size = 0;
    async function* limited(): AsyncGenerator<Buffer> {
      for await (const chunk of content) {
        size += chunk.length;
        if (size > most) return;
        yield chunk;
      }
    }
    try {
      await pipeline(limited, createWriteStream(partial, { mode: 0o600 }));
      if (size > most) return undefined;
      await rename(partial, path);
      return { path, size };
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** Forgets an answer that turned out to be none of the API. */
  async forget(address: string): Promise<void> {
    await rm(this.answerPath(address), { force: true });
  }

  /** Keeps that a file cannot be had. */
  async keepLostFile(address: string): Promise<KeptFile> {
    await replaceFile(`${this.filePath(address)}.lost`, Buffer.alloc(0));
    return { size: 0 };
  }

  /** Returns the path of a file or folder that is derived from the answers. */
  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  private answerPath(address: string): string {
    return this.entryPath('answers', address, '.json.gz');
  }

  private filePath(address: string): string {
    return this.entryPath('files', address, '');
  }

  private entryPath(folder: string, address: string, extension: string): string {
    const name = createHash('sha256').update(address).digest('hex');
    return join(this.folder, folder, name.slice(0, 2), `${name}${extension}`);
  }
}

async function replaceFile(path: string, content: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const partial = newPartial(path);
  await writeFile(partial, content, { mode: 0o600 });
  await rename(partial, path);
}

const newPartial = (path: string): string => `${path}.${randomBytes(6).toString('hex')}${PARTIAL}`;

function undefinedIfMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
  return undefined;
}
