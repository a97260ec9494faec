import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  fileEntry,
  headOf,
  jsonEntry,
  newContents,
  NO_TIME,
  recordEntries,
} from '../archives/archive-entries';
import { ARCHIVE_ENTRIES } from '../archives/archive-format';
import { type ArchivedRecord, type RecordKind } from '../archives/record-kinds';
import { withMappedIds } from '../archives/record-references';
import { writeArchive } from '../backup/archive/archive-file';
import { tarEnd, tarEntry } from '../backup/archive/tar';
import { repositoryEntry, repositoryLine } from '../backup/format';
import { bundleEntries } from '../backup/repository-entries';
import { type Environment } from '../config/environment';
import { NOBODY } from '../git/git-pools';
import { GitProgram } from '../git/git-program';
import { type BuiltFile, CLONES, FILES } from './archive-builder';
import { MAX_REFS_BYTES } from './git-clones';
import { FIRST_GIVEN_ID, type RecordSpool } from '../archives/data/record-spool';
import { type Losses } from './losses';
import { type ReadState } from './read-state';

/** The references of sources to what may not be there: to other projects, or to what has been deleted meanwhile. */
const UNSURE: Readonly<Record<string, readonly string[]>> = {
  issue: ['parentIssueId'],
  pullRequest: ['issueId'],
  relatedIssue: ['firstIssueId', 'secondIssueId'],
  issueSharedFile: ['sharedFileId'],
  wikiSharedFile: ['sharedFileId'],
};

/** A repository may have many refs. */
const LONG_REFS = { userId: NOBODY, maxOutput: MAX_REFS_BYTES };

/** What the writer needs of a run. */
export interface WriteOptions {
  environment: Environment;
  projects?: readonly string[];
  signal?: AbortSignal;
}

/** Writes the records of a builder as an archive, in the order of their keys and with the files and repositories. */
export class BuiltArchive {
  readonly contents = newContents();
  private readonly largest = new Map<string, number>();

  constructor(
    private readonly kinds: readonly RecordKind[],
    private readonly records: RecordSpool,
    private readonly options: WriteOptions,
    private readonly losses: Losses,
  ) {}

  /** Returns the size of the archive. @throws BackupError if the file exists */
  async write(path: string): Promise<number> {
    const { bytes } = await writeArchive(path, this.entries(), { signal: this.options.signal });
    return bytes;
  }

  /** Returns what the archive has, or would have if it was written. */
  async state(): Promise<ReadState> {
    if (Object.keys(this.contents.records).length === 0) {
      const entries = this.recordEntries();
      while (!(await entries.next()).done) this.options.signal?.throwIfAborted();
    }
    const git = new GitProgram(this.options.environment);
    const refs = createHash('sha256');
    for (const { id, path: repository } of this.clones()) {
      refs.update(`${id}\n`).update(await git.text(['for-each-ref'], { repository, ...LONG_REFS }));
    }
    return { records: this.contents.records, refs: refs.digest('hex') };
  }

  private async *entries(): AsyncGenerator<Buffer> {
    yield* jsonEntry(ARCHIVE_ENTRIES.head, headOf(this.options.projects));
    yield* this.recordEntries();
    yield* this.files();
    yield* this.repositories();
    yield* jsonEntry(ARCHIVE_ENTRIES.contents, this.contents);
    yield tarEnd();
  }

  private async *recordEntries(): AsyncGenerator<Buffer> {
    for (const kind of this.kinds) yield* recordEntries(this.contents, kind, this.finished(kind));
  }

  private clones(): Generator<{ id: number; path: string }> {
    return this.records.records(CLONES);
  }

  /** Yields the records of a kind with their final ids. */
  private async *finished(kind: RecordKind): AsyncGenerator<ArchivedRecord> {
    for (const record of this.records.records<Record<string, unknown>>(kind.name)) {
      if (!this.isWhole(kind, record)) continue;
      yield await withMappedIds(kind, record, (of, id) => this.finalId(of, id));
    }
  }

  /** Removes references to what is not there; returns false for a record that is nothing without them. */
  private isWhole(kind: RecordKind, record: Record<string, unknown>): boolean {
    for (const name of UNSURE[kind.name] ?? []) {
      const field = kind.fields.find((one) => one.name === name);
      const id = record[name];
      if (id === null || this.records.find(field?.refersTo ?? '', [id as number])) continue;
      this.losses.note(`References to what is not among the projects: ${name} of ${kind.name}`);
      if (!field?.isNullable) return false;
      record[name] = null;
    }
    return true;
  }

  private finalId<Id extends number | string>(kind: string, id: Id): Id {
    return (
      typeof id === 'number' && id >= FIRST_GIVEN_ID ? this.largestOf(kind) + (id - FIRST_GIVEN_ID) : id
    ) as Id;
  }

  private largestOf(kind: string): number {
    const known = this.largest.get(kind) ?? this.records.largestId(kind);
    this.largest.set(kind, known);
    return known;
  }

  private async *files(): AsyncGenerator<Buffer> {
    const { files } = this.contents;
    const hash = createHash('sha256');
    for (const { id, path, size } of this.records.records<BuiltFile>(FILES)) {
      const finalId = this.finalId('attachment', id);
      if (path === undefined) {
        files.lost.push(finalId);
        continue;
      }
      yield* fileEntry(this.contents, hash, { id: finalId, size }, createReadStream(path));
    }
    files.sha256 = hash.digest('hex');
  }

  private async *repositories(): AsyncGenerator<Buffer> {
    const { repositories } = this.contents;
    const git = new GitProgram(this.options.environment);
    const hash = createHash('sha256');
    for (const { id, path } of this.clones()) {
      const contents = yield* bundleEntries(git, path, id, NO_TIME);
      yield* tarEntry(repositoryEntry(id), Buffer.from(`${JSON.stringify(contents)}\n`), NO_TIME);
      hash.update(repositoryLine(id, contents));
      repositories.count++;
      repositories.bytes += contents.bytes;
    }
    repositories.sha256 = hash.digest('hex');
  }
}
