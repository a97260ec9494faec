import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Environment } from '../../config/environment';
import { InvalidRequestError, ServiceUnavailableError, TooLargeFileError } from '../../errors/domain-errors';
import { toGitError } from '../../git/git-errors';
import { isOutOfMemory } from '../../git/git-limits';
import { type GitPool } from '../../git/git-pools';
import { GitProgram, LIMITED_MEMORY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { TransferPace } from '../../git/transfer-pace';
import { BRANCHES, isRefName, TAGS } from '../refs/ref-names';

/** Timeout of a read for which a client waits, in milliseconds. */
const READ_TIMEOUT_MS = 30_000;
const HASH = /^[0-9a-f]{40}$/;
/** A hash, or an abbreviation of at least as many digits as git shows. */
const HASH_OR_BEGINNING = /^[0-9a-f]{7,40}$/i;

/** The repository that is read, and the user who reads it. */
export interface GitReading {
  repositoryId: number;
  userId: number;
  /** Aborted when the client disconnects. */
  signal?: AbortSignal;
}

/** A field of git's output. */
export interface GitField {
  /** Decoded as UTF-8; invalid bytes have become U+FFFD. */
  text: string;
  /** Whether the field was longer than the limit. */
  isCut: boolean;
}

/** Options of a read. */
export interface GitQuestion {
  /** Standard input of git. */
  input?: string;
  /** Git settings of this process. */
  config?: Readonly<Record<string, string>>;
  /** A folder that git takes for the working tree: see `GitAttributesService`. */
  workTree?: string;
  timeoutMs?: number;
  /** Exit codes other than 0 that are not errors. */
  okCodes?: readonly number[];
  /** `transfers` if the client determines how long it takes. */
  pool?: GitPool;
}

/** Git needs more memory for a comparison than it may use. */
export class TooLargeToCompareError extends InvalidRequestError {
  constructor() {
    super('It contains files that are too large to compare.');
  }
}

/**
 * Reads the contents of repositories with git. Output is read in chunks, and only as far as the response needs it, so that neither
 * memory nor a turn of the event loop grows with its size.
 */
@Injectable()
export class GitReaderService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly environment: Environment,
  ) {}

  /**
   * Yields the output of git in chunks. Leaving the loop kills git.
   * @throws GitUnavailableError without git, NoResourceError when the repository has been removed, GitError when git fails,
   * ServiceUnavailableError when it takes too long, TooLargeToCompareError when it takes too much memory
   */
  async *chunks(
    { repositoryId, userId, signal }: GitReading,
    args: readonly string[],
    { input = '', config = {}, workTree, timeoutMs = READ_TIMEOUT_MS, okCodes = [], pool }: GitQuestion = {},
  ): AsyncGenerator<Buffer> {
    const child = await this.git.start(args, {
      repository: await this.store.open(repositoryId),
      workTree,
      userId,
      signal,
      pool,
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
      // The output of a killed process ends prematurely; the exit code is handled below.
      if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
    } finally {
      if (!isRead) child.kill();
    }
    const exit = await child.exited;
    const { code, stderr } = exit;
    signal?.throwIfAborted();
    if (exit.isGone) throw toGitError(args, exit);
    if (code === null) throw new ServiceUnavailableError(undefined, 'Git has taken too long.');
    if (code !== 0 && isOutOfMemory(stderr)) throw new TooLargeToCompareError();
    if (code !== 0 && !okCodes.includes(code)) throw toGitError(args, exit);
  }

  /** Yields the output of git as NUL-terminated fields, each truncated to `maxBytes`. */
  async *fields(
    reading: GitReading,
    args: readonly string[],
    { maxBytes, ...question }: GitQuestion & { maxBytes: number },
  ): AsyncGenerator<GitField> {
    const splitter = new FieldSplitter(maxBytes);
    for await (const chunk of this.chunks(reading, args, question)) yield* splitter.add(chunk);
  }

  /** Returns the output of git, trimmed; only for short output. */
  async text(reading: GitReading, args: readonly string[], question?: GitQuestion): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.chunks(reading, args, question)) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8').trim();
  }

  /**
   * Streams the output of git at the pace of the client. Rejects when git fails before its first output; the stream fails with a
   * `TooLargeFileError` after `maxBytes`, and with a `TooSlowError` when the client receives it more slowly than `GIT_MIN_RATE`.
   */
  async stream(
    reading: GitReading,
    args: readonly string[],
    { maxBytes = Infinity, ...question }: GitQuestion & { maxBytes?: number } = {},
  ): Promise<Readable> {
    const chunks = this.chunks(reading, args, { ...question, pool: 'transfers' });
    const pace = new TransferPace(this.environment);
    const first = await chunks.next();
    const all = async function* (): AsyncGenerator<Buffer> {
      let size = 0;
      for (let part = first; !part.done; part = await chunks.next()) {
        size += part.value.length;
        if (size > maxBytes) throw new TooLargeFileError('It is too large to be sent.');
        pace.count(part.value.length);
        const end = pace.wait();
        try {
          yield part.value;
        } finally {
          end();
        }
      }
    };
    const stream = Readable.from(all(), { objectMode: false });
    pace.onTooSlow((error) => stream.destroy(error));
    stream.once('close', () => void chunks.return(undefined));
    return stream;
  }

  /**
   * Resolves names to commits, in the order given; undefined for a name that does not resolve. A name may be a full ref, a branch, a tag or
   * a commit hash, tried in this order.
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

  /** Returns the full hash of a commit by its hash or an abbreviation of it. */
  async findHash(reading: GitReading, hash: string): Promise<string | undefined> {
    if (!HASH_OR_BEGINNING.test(hash)) return undefined;
    const [found] = await this.findRevisions(reading, [hash.toLowerCase()]);
    return found;
  }

  /**
   * Resolves git revisions to commits, in the order given; undefined for a revision that is not a commit.
   * @param revisions full refs or hashes, also with suffixes such as `^1`, never written by a client; an empty one resolves to undefined
   */
  async findRevisions(reading: GitReading, revisions: readonly string[]): Promise<(string | undefined)[]> {
    if (revisions.length === 0) return [];
    const input = revisions.map((revision) => `${revision}^{commit}\n`).join('');
    const text = await this.text(reading, ['cat-file', '--batch-check=%(objectname)'], { input });
    const lines = text.split('\n');
    return revisions.map((_revision, index) => lines.slice(index, index + 1).find((line) => HASH.test(line)));
  }

  /** Resolves a name to a commit. */
  async findCommit(reading: GitReading, name: string): Promise<string | undefined> {
    const [commit] = await this.findCommits(reading, [name]);
    return commit;
  }
}

/** Settings that make output independent of the contents of a repository. */
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

/** Splits bytes into NUL-terminated fields. */
export class FieldSplitter {
  private parts: Buffer[] = [];
  private size = 0;

  /** @param maxBytes maximum size of a field; further bytes are dropped */
  constructor(private readonly maxBytes: number) {}

  /** Yields the fields that end in a chunk. */
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

/** Decodes bytes as text; drops a character that was cut in the middle. */
export const textOf = (bytes: Buffer, isCut: boolean): string =>
  bytes.toString('utf8', 0, isCut ? lengthOfWholeCharacters(bytes) : bytes.length);

/** Returns the length of bytes without an incomplete character of UTF-8 at their end. */
export function lengthOfWholeCharacters(bytes: Buffer): number {
  let end = bytes.length;
  while (end > 0 && bytes.length - end < 3 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end--;
  // Checks whether all bytes of the last character are present.
  const isWhole =
    end === 0 ||
    ((bytes[end - 1] as number) & 0x80) === 0 ||
    end - 1 + lengthOf(bytes[end - 1] as number) <= bytes.length;
  return isWhole ? bytes.length : end - 1;
}

/** Returns the length of the UTF-8 sequence that starts with a byte. */
const lengthOf = (byte: number): number => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1);
