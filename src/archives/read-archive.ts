import { createHash, type Hash } from 'node:crypto';
import { readArchive as readEntries } from '../backup/archive/archive-file';
import { type TarEntry } from '../backup/archive/tar';
import { BackupError, DamagedBackupError } from '../backup/backup.error';
import { ENTRIES, type RepositoryContents } from '../backup/format';
import {
  isCount,
  isDigest,
  isId,
  isRepositories,
  isWord,
  parseEntry,
  parseRepository,
} from '../backup/parse-entries';
import { RepositoryCheck } from '../backup/repository-check';
import { printable } from '../backup/verify-backup';
import { listOf, optional, recordOf, shape } from '../json-shape';
import { sizeText } from '../quantities';
import {
  ARCHIVE_ENTRIES,
  ARCHIVE_FORMAT,
  type ArchiveContents,
  archivedFileLine,
  type ArchiveHead,
} from './archive-format';
import { DamagedArchiveError } from './archive.error';
import { type RecordKind } from './record-kinds';
import { isShortDescription, MAX_DESCRIPTION_BYTES, MAX_RECORD_BYTES } from './record-limits';

/** A part of an archive, in the order of the archive. Contents are read once, before the next part; what is not read is skipped. */
export type ArchivePart =
  | { type: 'head'; head: ArchiveHead }
  | {
      /** Some of the records of an entry. */
      type: 'records';
      kind: RecordKind;
      /** The number of the first line among the records of the kind, from 1. */
      first: number;
      /** One JSON object each; `RecordCheck` parses and checks them. */
      lines: readonly string[];
    }
  | { type: 'file'; id: number; size: number; content: () => AsyncGenerator<Buffer> }
  /** A part of a bundle; a part 1 starts over. */
  | { type: 'bundle'; id: number; part: number; size: number; content: () => AsyncGenerator<Buffer> }
  | { type: 'repository'; id: number; contents: RepositoryContents }
  /** Comes last, and only if everything before it is what was written. */
  | { type: 'contents'; contents: ArchiveContents };

/** What an archive may contain at most. */
export interface ArchiveLimits {
  entries: number;
  /** Bytes of all entries, not compressed. */
  bytes: number;
  /** Bytes of an entry with records: parts have 4 MiB, and up to one record more. */
  part: number;
  /** Bytes of a record. */
  line: number;
  /** Bytes of the entries that describe others. */
  text: number;
}

const MIB = 1024 * 1024;
const LINE_END = 0x0a;
/** Characters of records that are read at once, or those of one record. */
const LINES_LENGTH = 256 * 1024;
const LIMITS: ArchiveLimits = {
  entries: 50_000_000,
  bytes: 16 * 1024 * 1024 * MIB,
  part: 68 * MIB,
  line: MAX_RECORD_BYTES,
  text: MAX_DESCRIPTION_BYTES,
};

const isHead = shape({
  type: (value) => value === 'project-archive',
  format: isCount,
  projects: optional(listOf(isWord)),
});
const isContents = shape({
  records: recordOf(shape({ count: isCount, sha256: isDigest })),
  files: shape({ count: isCount, bytes: isCount, sha256: isDigest, lost: listOf(isId) }),
  repositories: isRepositories,
});

/**
 * Reads an archive like a request from a stranger, part by part (`docs/format.md`). Checks the names, the order and the sizes of its
 * entries, and at its end numbers and digests, but not what the records say, as `checkArchive` does. Memory does not grow with the archive.
 * @param kinds the kinds of records of this version
 * @throws BackupError if it is no archive or has a newer format; DamagedArchiveError if it is damaged or truncated
 */
export async function* readProjectArchive(
  path: string,
  kinds: readonly RecordKind[],
  limits: Partial<ArchiveLimits> = {},
): AsyncGenerator<ArchivePart> {
  const reader = new ArchiveReader(kinds, { ...LIMITS, ...limits });
  try {
    for await (const entry of readEntries(path, undefined, 'an archive of projects'))
      yield* reader.read(entry);
    reader.end();
  } catch (error) {
    throw error instanceof DamagedBackupError ? new DamagedArchiveError(error.what) : error;
  }
}

class ArchiveReader {
  private isBegun = false;
  private isEnded = false;
  private entries = 0;
  private bytes = 0;
  /** The position of the kind that is being read. */
  private position = 0;
  private readonly records = new Map<string, { hash: Hash; count: number; parts: number }>();
  private readonly fileHash = createHash('sha256');
  private readonly files = { count: 0, bytes: 0, last: 0 };
  private readonly repositories = new RepositoryCheck();
  /** The repository of the last bundle, and that of the last description. */
  private readonly last = { bundle: 0, repository: 0 };
  private isAfterRecords = false;
  private isAfterFiles = false;

  constructor(
    private readonly kinds: readonly RecordKind[],
    private readonly limits: ArchiveLimits,
  ) {}

  async *read(entry: TarEntry): AsyncGenerator<ArchivePart> {
    const { path } = entry;
    if (this.isEnded) throw new DamagedArchiveError('it has data after its end');
    if (++this.entries > this.limits.entries) throw new DamagedArchiveError('it has too many entries');
    if ((this.bytes += entry.size) > this.limits.bytes)
      throw new DamagedArchiveError(`it is too large, from ${printable(path)} on`);
    const [, kind, part] = ARCHIVE_ENTRIES.records.exec(path) ?? [];
    const [, file] = ARCHIVE_ENTRIES.file.exec(path) ?? [];
    const [, bundled, bundlePart] = ENTRIES.bundle.exec(path) ?? [];
    const [, repository] = ENTRIES.repository.exec(path) ?? [];
    if (!this.isBegun) yield await this.readHead(entry);
    else if (kind !== undefined) yield* this.readRecords(entry, kind, Number(part));
    else if (file !== undefined) yield* this.readFile(entry, Number(file));
    else if (bundled !== undefined) yield* this.readBundle(entry, Number(bundled), Number(bundlePart));
    else if (repository !== undefined) yield await this.readRepository(entry, Number(repository));
    else if (path === ARCHIVE_ENTRIES.contents) yield await this.readContents(entry);
    else throw new DamagedArchiveError(`its entry ${printable(path)} is not one of an archive`);
  }

  /** @throws DamagedArchiveError if the last entry is missing */
  end(): void {
    if (!this.isEnded) throw new DamagedArchiveError(`it ends without ${ARCHIVE_ENTRIES.contents}`);
  }

  private async readHead(entry: TarEntry): Promise<ArchivePart> {
    if (entry.path !== ARCHIVE_ENTRIES.head)
      throw new BackupError(
        `This is not an archive of projects: its first entry is not ${ARCHIVE_ENTRIES.head}.`,
      );
    const head = parseEntry(entry.path, await this.textOf(entry, this.limits.text), isHead) as ArchiveHead;
    if (head.format < 1 || head.format > ARCHIVE_FORMAT) {
      throw new BackupError(
        `The archive has format ${head.format}, and this version of the service reads ${ARCHIVE_FORMAT}: use a newer version.`,
      );
    }
    this.isBegun = true;
    return { type: 'head', head };
  }

  private async *readRecords(entry: TarEntry, name: string, part: number): AsyncGenerator<ArchivePart> {
    const position = this.kinds.findIndex((one) => one.name === name);
    const kind = this.kinds[position];
    if (!kind) throw new DamagedArchiveError(`it has records of the unknown kind ${printable(name)}`);
    if (position < this.position || this.isAfterRecords) throw new DamagedArchiveError(misplaced(entry));
    this.position = position;
    const read = this.records.get(name) ?? { hash: createHash('sha256'), count: 0, parts: 0 };
    this.records.set(name, read);
    if (part !== ++read.parts) throw new DamagedArchiveError(`${printable(entry.path)} is not the next part`);
    for await (const lines of this.linesOf(entry, read.hash)) {
      const first = read.count + 1;
      read.count += lines.length;
      yield { type: 'records', kind, first, lines };
    }
  }

  /** Yields the lines of an entry, some at a time. */
  private async *linesOf(entry: TarEntry, hash: Hash): AsyncGenerator<string[]> {
    const broken = (): Error =>
      new DamagedArchiveError(`the lines of ${printable(entry.path)} cannot be read`);
    if (entry.size === 0) throw broken();
    const lengths = new LineLengths(entry, this.limits.line);
    const note = (chunk: Buffer): void => {
      lengths.add(chunk);
      hash.update(chunk);
    };
    let pieces: string[] = [];
    let length = 0;
    for await (const piece of this.piecesOf(entry, this.limits.part, note)) {
      pieces.push(piece);
      length += piece.length;
      if (length < LINES_LENGTH || !piece.includes('\n')) continue;
      const lines = pieces.join('').split('\n');
      pieces = [lines.pop() as string];
      ({ length } = pieces[0] as string);
      yield lines;
    }
    const lines = pieces.join('').split('\n');
    if (lines.pop() !== '') throw broken();
    if (lines.length > 0) yield lines;
  }

  private async *readFile(entry: TarEntry, id: number): AsyncGenerator<ArchivePart> {
    this.isAfterRecords = true;
    if (id <= this.files.last || this.isAfterFiles) throw new DamagedArchiveError(misplaced(entry));
    this.files.last = id;
    const hash = createHash('sha256');
    yield* withContent(entry, (bytes) => hash.update(bytes), { type: 'file', id });
    this.fileHash.update(archivedFileLine(id, entry.size, hash.digest('hex')));
    this.files.count++;
    this.files.bytes += entry.size;
  }

  private async *readBundle(entry: TarEntry, id: number, part: number): AsyncGenerator<ArchivePart> {
    this.isAfterRecords = true;
    this.isAfterFiles = true;
    if (id <= this.last.repository || id < this.last.bundle) throw new DamagedArchiveError(misplaced(entry));
    this.last.bundle = id;
    const add = this.repositories.addPart(id, part, entry.size);
    yield* withContent(entry, add, { type: 'bundle', id, part });
  }

  private async readRepository(entry: TarEntry, id: number): Promise<ArchivePart> {
    this.isAfterRecords = true;
    this.isAfterFiles = true;
    if (id <= this.last.repository || id < this.last.bundle) throw new DamagedArchiveError(misplaced(entry));
    this.last.repository = id;
    const contents = parseRepository(await this.textOf(entry, this.limits.text));
    this.repositories.end(id, contents);
    return { type: 'repository', id, contents };
  }

  private async readContents(entry: TarEntry): Promise<ArchivePart> {
    const text = await this.textOf(entry, this.limits.text);
    const contents = parseEntry(entry.path, text, isContents) as ArchiveContents;
    const names = this.kinds.map(({ name }) => name);
    const unknown = Object.keys(contents.records).find((name) => !names.includes(name));
    if (unknown !== undefined)
      throw new DamagedArchiveError(`${entry.path} has the unknown kind ${printable(unknown)}`);
    for (const name of names) {
      const read = this.records.get(name);
      const written = contents.records[name];
      const sha256 = (read?.hash ?? createHash('sha256')).copy().digest('hex');
      if (!written || written.count !== (read?.count ?? 0) || written.sha256 !== sha256) {
        throw new DamagedArchiveError(`the records of ${name} are not those that were written`);
      }
    }
    const { files } = contents;
    if (
      files.count !== this.files.count ||
      files.bytes !== this.files.bytes ||
      files.sha256 !== this.fileHash.digest('hex')
    ) {
      throw new DamagedArchiveError('its files are not those that were written');
    }
    this.repositories.compare(contents.repositories);
    this.isEnded = true;
    return { type: 'contents', contents };
  }

  /** Returns the JSON of an entry. */
  private async textOf(entry: TarEntry, limit: number): Promise<string> {
    const pieces: string[] = [];
    for await (const piece of this.piecesOf(entry, limit)) pieces.push(piece);
    const text = pieces.join('');
    if (!isShortDescription(text)) throw new DamagedArchiveError(`its ${entry.path} cannot be read`);
    return text;
  }

  private async *piecesOf(
    entry: TarEntry,
    limit: number,
    note?: (chunk: Buffer) => void,
  ): AsyncGenerator<string> {
    if (entry.size > limit) throw new DamagedArchiveError(`its entry ${printable(entry.path)} is too long`);
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const decode = (chunk?: Buffer): string => {
      try {
        return decoder.decode(chunk, { stream: chunk !== undefined });
      } catch {
        throw new DamagedArchiveError(`its entry ${printable(entry.path)} is not text`);
      }
    };
    for await (const chunk of entry.content()) {
      note?.(chunk);
      yield decode(chunk);
    }
    yield decode();
  }
}

/** Measures the lines of an entry while they are read, so that no more of a line is kept than a record may have. */
class LineLengths {
  private number = 1;
  private length = 0;

  constructor(
    private readonly entry: TarEntry,
    private readonly limit: number,
  ) {}

  /** @throws DamagedArchiveError that names the first line that is too long */
  add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      this.grow(end - start);
      this.length = 0;
      this.number++;
      start = end + 1;
    }
    this.grow(chunk.length - start);
  }

  private grow(bytes: number): void {
    if ((this.length += bytes) > this.limit) {
      const place = `line ${this.number} of ${printable(this.entry.path)}`;
      throw new DamagedArchiveError(`${place} has more than ${sizeText(this.limit)}, the most of a record`);
    }
  }
}

const misplaced = ({ path }: TarEntry): string => `its entry ${printable(path)} is not in its place`;

/** Yields a part with the content of an entry, and reads what its reader has left. @param add takes all bytes */
async function* withContent<Part extends object>(
  { path, size, content: open }: TarEntry,
  add: (bytes: Buffer) => unknown,
  part: Part,
): AsyncGenerator<Part & { size: number; content: () => AsyncGenerator<Buffer> }> {
  let read = 0;
  const content = (async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of open()) {
      read += chunk.length;
      add(chunk);
      yield chunk;
    }
  })();
  yield { ...part, size, content: () => content };
  while (!(await content.next()).done);
  if (read !== size) throw new Error(`The content of ${path} has not been read to its end`);
}
