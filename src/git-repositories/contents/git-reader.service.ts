import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InvalidRequestError, ServiceUnavailableError, TooLargeFileError } from '../../errors/domain-errors';
import { GitError } from '../../git/git-errors';
import { GitProgram, isOutOfMemory, LIMITED_MEMORY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { BRANCHES, isRefName, TAGS } from '../refs/git-refs.service';

/** How long git may take for an answer that somebody waits for. */
const READ_TIMEOUT_MS = 30_000;
const HASH = /^[0-9a-f]{40}$/;
/** As many digits of a hash as git itself shows, or more. */
const HASH_OR_BEGINNING = /^[0-9a-f]{7,40}$/i;

/** What is read, for whom. */
export interface GitReading {
  repositoryId: number;
  userId: number;
  /** Aborted when the client has gone. */
  signal?: AbortSignal;
}

/** A text that git has printed. */
export interface GitField {
  /** Decoded as UTF-8; what is none has become U+FFFD. */
  text: string;
  /** Whether there was more of it than there is room for. */
  isCut: boolean;
}

/** How git is asked. */
export interface GitQuestion {
  /** What it reads on its standard input. */
  input?: string;
  /** Settings for this process. */
  config?: Readonly<Record<string, string>>;
  timeoutMs?: number;
  /** Exit codes that are no error, besides 0. */
  okCodes?: readonly number[];
}

/**
 * Asks git about the contents of repositories. Output is read piece by piece, and as much of it as the answer takes: however large it
 * is, neither memory nor a turn of the event loop grows with it.
 */
@Injectable()
export class GitReaderService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /**
   * What git prints, in pieces. Leaving the loop ends git.
   * @throws GitUnavailableError without git, GitError when it fails, ServiceUnavailableError when it takes too long, InvalidRequestError
   * when it takes too much memory
   */
  async *chunks(
    { repositoryId, userId, signal }: GitReading,
    args: readonly string[],
    { input = '', config = {}, timeoutMs = READ_TIMEOUT_MS, okCodes = [] }: GitQuestion = {},
  ): AsyncGenerator<Buffer> {
    const child = await this.git.start(args, {
      repository: await this.store.open(repositoryId),
      userId,
      signal,
      timeoutMs,
      config: { ...CONFIG, ...config },
      env: { ...ENVIRONMENT, ...LIMITED_MEMORY },
    });
    child.stdin.end(input);
    let isRead = false;
    try {
      for await (const chunk of child.stdout) yield chunk as Buffer;
      isRead = true;
    } catch (error) {
      // The output of a process that was ended has no end; how it was ended is said below.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    } finally {
      if (!isRead) child.kill();
    }
    const { code, stderr } = await child.exited;
    signal?.throwIfAborted();
    if (code === null) throw new ServiceUnavailableError(undefined, 'Git has taken too long.');
    if (code !== 0 && isOutOfMemory(stderr))
      throw new InvalidRequestError('It contains files that are too large to compare.');
    if (code !== 0 && !okCodes.includes(code)) throw new GitError(args, code, stderr);
  }

  /** What git prints, as fields that end in a NUL each, of which no more than `maxBytes` are kept. */
  async *fields(
    reading: GitReading,
    args: readonly string[],
    { maxBytes, ...question }: GitQuestion & { maxBytes: number },
  ): AsyncGenerator<GitField> {
    const splitter = new FieldSplitter(maxBytes);
    for await (const chunk of this.chunks(reading, args, question)) yield* splitter.add(chunk);
  }

  /** What git prints, which is short. */
  async text(reading: GitReading, args: readonly string[], question?: GitQuestion): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.chunks(reading, args, question)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8').trim();
  }

  /**
   * What git prints, for a client that takes it at its own pace. Rejects when there is no beginning; fails with a `TooLargeFileError`
   * after `maxBytes`.
   */
  async stream(
    reading: GitReading,
    args: readonly string[],
    { maxBytes = Infinity, ...question }: GitQuestion & { maxBytes?: number } = {},
  ): Promise<Readable> {
    const chunks = this.chunks(reading, args, question);
    const first = await chunks.next();
    const all = async function* (): AsyncGenerator<Buffer> {
      if (first.done) return;
      let size = first.value.length;
      yield first.value;
      for await (const chunk of chunks) {
        size += chunk.length;
        if (size > maxBytes) throw new TooLargeFileError('It is too large to be sent.');
        yield chunk;
      }
    };
    return Readable.from(all(), { objectMode: false });
  }

  /**
   * The commits that names stand for, each a branch, a tag, a whole ref or the hash of a commit, in this order; undefined for what
   * is none of these.
   */
  async findCommits(reading: GitReading, names: readonly string[]): Promise<(string | undefined)[]> {
    const candidates = names.map(candidatesFor);
    const found = await this.findRevisions(reading, candidates.flat());
    let index = 0;
    return candidates.map((ofName) => {
      const first = found.slice(index, index + ofName.length).find((commit) => commit !== undefined);
      index += ofName.length;
      return first;
    });
  }

  /** The whole hash of a commit that a hash, or the beginning of one, stands for. */
  async findHash(reading: GitReading, hash: string): Promise<string | undefined> {
    if (!HASH_OR_BEGINNING.test(hash)) return undefined;
    const [found] = await this.findRevisions(reading, [hash.toLowerCase()]);
    return found;
  }

  /**
   * The commits that revisions stand for in git's own way, in this order; undefined for what is none.
   * @param revisions whole refs or hashes, also with `^1` and the like, none of which a client has written; empty ones are none
   */
  async findRevisions(reading: GitReading, revisions: readonly string[]): Promise<(string | undefined)[]> {
    if (revisions.length === 0) return [];
    const input = revisions.map((revision) => `${revision}^{commit}\n`).join('');
    const text = await this.text(reading, ['cat-file', '--batch-check=%(objectname)'], { input });
    const lines = text.split('\n');
    return revisions.map((_revision, index) => lines.slice(index, index + 1).find((line) => HASH.test(line)));
  }

  /** The commit that a name stands for. */
  async findCommit(reading: GitReading, name: string): Promise<string | undefined> {
    const [commit] = await this.findCommits(reading, [name]);
    return commit;
  }
}

/** Nothing of a repository says how it is shown. */
const CONFIG: Readonly<Record<string, string>> = {
  'core.bigFileThreshold': '1m',
  'diff.renameLimit': '400',
  'log.mailmap': 'false',
  'log.showSignature': 'false',
};

const ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_GRAFT_FILE: '/dev/null',
  GIT_LITERAL_PATHSPECS: '1',
};

function candidatesFor(name: string): string[] {
  const refs = [...(name.startsWith('refs/') ? [name] : []), BRANCHES + name, TAGS + name].filter(isRefName);
  return HASH_OR_BEGINNING.test(name) ? [...refs, name.toLowerCase()] : refs;
}

/** Splits bytes into fields that end in a NUL each. */
export class FieldSplitter {
  private parts: Buffer[] = [];
  private size = 0;

  /** @param maxBytes of a field; what comes after them is left out */
  constructor(private readonly maxBytes: number) {}

  /** The fields that end in these bytes. */
  *add(chunk: Buffer): Generator<GitField> {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      this.keep(chunk.subarray(start, end));
      yield this.take();
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
  }

  private keep(part: Buffer): void {
    const room = this.maxBytes - this.size;
    if (room > 0 && part.length > 0) this.parts.push(part.subarray(0, room));
    this.size += part.length;
  }

  private take(): GitField {
    const isCut = this.size > this.maxBytes;
    const bytes = this.parts.length === 1 ? (this.parts[0] as Buffer) : Buffer.concat(this.parts);
    this.parts = [];
    this.size = 0;
    return { text: textOf(bytes, isCut), isCut };
  }
}

/** Bytes as a text; a character that has been cut in the middle is left out. */
export function textOf(bytes: Buffer, isCut: boolean): string {
  if (!isCut) return bytes.toString('utf8');
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end--;
  // The first byte of a character of several, and those that followed.
  const isWhole =
    end === 0 ||
    ((bytes[end - 1] as number) & 0x80) === 0 ||
    end - 1 + lengthOf(bytes[end - 1] as number) <= bytes.length;
  return bytes.subarray(0, isWhole ? bytes.length : end - 1).toString('utf8');
}

/** The bytes of the character that begins with a byte. */
const lengthOf = (byte: number): number => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1);
