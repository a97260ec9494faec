import { createHash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual, promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { exists, isMissing } from '../../errors/missing-file';
import { SourceError } from '../source.error';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

const IDENTITY = 'source.json';
const PARTIAL = '.partial';
/** The folder with what belongs to the current reading, and that with what is left of the last one. */
const [CURRENT, LAST] = ['current', 'last'];
/** The folders with what the source has refused: answers, and files. They are those of one run. */
const [REFUSED, LOST] = ['refused', 'lost'];

/** What a spool says of itself, besides what it is of. Times are in milliseconds. */
interface SpoolState {
  /** When the reading was begun. */
  begun: number;
  /** Counts the readings, from 1. */
  reading: number;
  /** Whether the reading has ended. */
  isRead?: true;
}

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
 *
 * What is kept may have a version: the state of the object that it belongs to. It is another entry for another version, and the only one that
 * the next reading takes over (`docs/decisions/0072-follow.md`).
 */
export class Spool {
  private constructor(
    readonly folder: string,
    private readonly state: SpoolState,
    private readonly maxAnswerBytes: number,
  ) {}

  /** When the reading was begun, in milliseconds: the time of what is read, also by a repeated run. */
  get begun(): number {
    return this.state.begun;
  }

  /** The number of the reading, from 1. */
  get reading(): number {
    return this.state.reading;
  }

  /**
   * Begins a new reading, unless the last one has not ended: then that one goes on.
   * @param begun in milliseconds; by default the time of the last reading, for one that compares
   */
  static async renew(folder: string, begun?: number): Promise<void> {
    const state = await stateOf(folder);
    if (!state?.isRead) return;
    const { isRead, ...last } = state;
    const current = join(folder, CURRENT);
    // After a kill, the current folder may have been moved already.
    if (await exists(current)) {
      await rm(join(folder, LAST), { recursive: true, force: true });
      await rename(current, join(folder, LAST));
    }
    await writeState(folder, { ...last, begun: begun ?? last.begun, reading: last.reading + 1 });
  }

  /** Notes that everything has been read. Does nothing for a folder without a spool. */
  static async markRead(folder: string): Promise<void> {
    const state = await stateOf(folder);
    if (!state) return;
    await writeState(folder, { ...state, isRead: true });
    await rm(join(folder, LAST), { recursive: true, force: true });
  }

  /**
   * Opens a spool, or begins one.
   * @param identity what the spool is of
   * @throws SourceError if it is of something else
   */
  static async open(folder: string, identity: object, maxAnswerBytes: number): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const known = await stateOf(folder);
    if (known !== undefined) {
      const { begun, reading, isRead, ...before } = known;
      if (!isDeepStrictEqual(before, identity)) {
        throw new SourceError(
          `${folder} is the spool of another source or of other projects: choose an empty folder.`,
        );
      }
      // Somebody may have changed since what the key may see.
      for (const name of [REFUSED, LOST])
        await rm(join(folder, CURRENT, name), { recursive: true, force: true });
      return new Spool(folder, known, maxAnswerBytes);
    }
    if ((await readdir(folder)).some((name) => !name.startsWith(IDENTITY))) {
      throw new SourceError(`${folder} is not a spool: choose an empty folder.`);
    }
    const state = { ...identity, begun: Date.now(), reading: 1 };
    await writeState(folder, state);
    return new Spool(folder, state, maxAnswerBytes);
  }

  /** Returns the answer to an address, if it is kept. */
  async answer(address: string, version?: string): Promise<KeptAnswer | undefined> {
    const path = await this.keptPath(address, version);
    if (path === undefined) return undefined;
    const bytes = await readFile(path);
    // The limit leaves room for the status and for the quotes that JSON adds.
    const text = await decompress(bytes, { maxOutputLength: 2 * this.maxAnswerBytes + 1024 });
    return JSON.parse(text.toString()) as KeptAnswer;
  }

  /** Whether the answer to an address is kept. */
  async hasAnswer(address: string, version?: string): Promise<boolean> {
    return (await this.keptPath(address, version)) !== undefined;
  }

  /** Keeps an answer; one that says that the key can see nothing there is forgotten when the spool is opened again. */
  async keepAnswer(address: string, answer: KeptAnswer, version?: string): Promise<void> {
    await replaceFile(
      answer.status === 200 ? this.answerPath(address, version) : this.refusedPath(address, version),
      await compress(JSON.stringify({ ...answer, address }), { level: 4 }),
    );
  }

  /** Returns the file of an address, if it is kept. */
  async file(address: string, version?: string): Promise<KeptFile | undefined> {
    const path = this.filePath(address, version);
    const found = await stat(path).catch(undefinedIfMissing);
    if (found) return { path, size: found.size };
    return (await exists(this.lostPath(address, version))) ? { size: 0 } : undefined;
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
    version?: string,
  ): Promise<KeptFile | undefined> {
    const path = this.filePath(address, version);
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
  async forget(address: string, version?: string): Promise<void> {
    await rm(this.answerPath(address, version), { force: true });
    await rm(this.refusedPath(address, version), { force: true });
  }

  /** Keeps that a file cannot be had, until the spool is opened again. */
  async keepLostFile(address: string, version?: string): Promise<KeptFile> {
    await replaceFile(this.lostPath(address, version), Buffer.alloc(0));
    return { size: 0 };
  }

  /** Returns the path of a folder of the current reading. */
  path(...names: string[]): string {
    return join(this.folder, CURRENT, ...names);
  }

  /** Returns the path of a folder of the last reading, if it is still there. */
  lastPath(...names: string[]): string {
    return join(this.folder, LAST, ...names);
  }

  /** Takes an entry over from the last reading; returns false if that has not got it. */
  private async takeOver(path: string): Promise<boolean> {
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(join(this.folder, LAST, relative(join(this.folder, CURRENT), path)), path);
      return true;
    } catch (error) {
      if (!isMissing(error)) throw error;
      return false;
    }
  }

  /** Returns where the answer to an address is kept. Only what the source has given is taken over from the last reading. */
  private async keptPath(address: string, version?: string): Promise<string | undefined> {
    const [path, refused] = [this.answerPath(address, version), this.refusedPath(address, version)];
    if (await exists(path)) return path;
    if (await exists(refused)) return refused;
    return version !== undefined && (await this.takeOver(path)) ? path : undefined;
  }

  private answerPath(address: string, version?: string): string {
    return entryPath(this.path('answers'), address, version, '.json.gz');
  }

  private refusedPath(address: string, version?: string): string {
    return entryPath(this.path(REFUSED), address, version, '.json.gz');
  }

  private lostPath(address: string, version?: string): string {
    return entryPath(this.path(LOST), address, version, '');
  }

  /** Files belong to no reading: each is what it was. */
  private filePath(address: string, version?: string): string {
    return entryPath(join(this.folder, 'files'), address, version, '');
  }
}

/** Returns the version of an object: a digest of what its source shows of it. */
export const versionOf = (element: unknown): string =>
  createHash('sha256').update(JSON.stringify(element)).digest('hex');

function entryPath(folder: string, address: string, version: string | undefined, extension: string): string {
  const name = createHash('sha256')
    .update(version === undefined ? address : `${address}\n${version}`)
    .digest('hex');
  return join(folder, name.slice(0, 2), `${name}${extension}`);
}

async function stateOf(folder: string): Promise<SpoolState | undefined> {
  const text = await readFile(join(folder, IDENTITY), 'utf8').catch(undefinedIfMissing);
  return text === undefined ? undefined : (JSON.parse(text) as SpoolState);
}

const writeState = (folder: string, state: SpoolState): Promise<void> =>
  replaceFile(join(folder, IDENTITY), Buffer.from(`${JSON.stringify(state)}\n`));

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
