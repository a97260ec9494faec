import { isId } from '../backup/parse-entries';
import { printable } from '../backup/verify-backup';
import { loopTurns } from '../event-loop/loop-turns';
import { Ancestry } from './ancestry';
import { type ArchiveContents, type ArchiveHead } from './archive-format';
import { DamagedArchiveError } from './archive.error';
import { DocumentLevels } from './document-levels';
import { isShallow } from './json-values';
import { NumberList, SortedIds } from './number-lists';
import { type ArchiveLimits, readProjectArchive } from './read-archive';
import { type ArchivedRecord, type RecordField, type RecordKind } from './record-kinds';
import { hasFewRecordValues } from './record-limits';

/** What an archive contains that is complete, intact and consistent. */
export interface CheckedArchive {
  head: ArchiveHead;
  contents: ArchiveContents;
  /** The ids of the records by their kinds, for those that have ids. */
  ids: ReadonlyMap<string, SortedIds>;
}

/** The most records of a kind, whose ids are kept in memory. */
const MAX_RECORDS = 50_000_000;
const MAX_DEPTH = 100;
const NO_IDS = new SortedIds();

/**
 * Reads an archive to its end, and checks everything that it says. Writes nothing. Memory grows only with the number of records, by 8 bytes
 * for each, and 16 more for each that is below another or a document.
 * @param onProgress called with the number of records and files so far
 * @throws BackupError if it is no archive, is damaged, truncated or inconsistent, or has a newer format
 */
export async function checkArchive(
  path: string,
  kinds: readonly RecordKind[],
  { limits, onProgress }: { limits?: Partial<ArchiveLimits>; onProgress?: (done: number) => void } = {},
): Promise<CheckedArchive> {
  const check = new RecordCheck(kinds);
  let head: ArchiveHead | undefined;
  let contents: ArchiveContents | undefined;
  let done = 0;
  for await (const part of readProjectArchive(path, kinds, limits)) {
    if (part.type === 'head') head = part.head;
    else if (part.type === 'records') {
      for (const [index, line] of part.lines.entries()) {
        // Before each, because the lines have only been read in this turn.
        const pause = loopTurns.pauseInBackground();
        if (pause) await pause;
        check.parse(part.kind, line, part.first + index);
      }
      onProgress?.((done += part.lines.length));
    } else if (part.type === 'file') {
      check.file(part.id, part.size);
      onProgress?.(++done);
    } else if (part.type === 'contents') {
      await check.end(part.contents);
      contents = part.contents;
    } else check.repository(part.id);
  }
  // The reader has required both.
  return { head: head as ArchiveHead, contents: contents as ArchiveContents, ids: check.ids };
}

/** Checks records in the order of an archive: their fields and values, their order, and what they refer to. */
export class RecordCheck {
  /** The ids of the records so far, by their kinds. */
  readonly ids: ReadonlyMap<string, SortedIds>;
  /** The sizes of the files of attachments, by their ranks. */
  private readonly sizes = new NumberList();
  /** The ranks of those whose files are there. */
  private readonly present = new NumberList();
  private kind?: RecordKind;
  private key: readonly unknown[] = [];
  private count = 0;
  /** Those that are below others of their kind, which may come later, by their kinds. */
  private readonly ancestries = new Map<string, Ancestry>();
  /** The kinds whose records are only below those that the archive has. */
  private readonly firm: ReadonlySet<string>;
  private readonly levels: DocumentLevels;

  constructor(kinds: readonly RecordKind[]) {
    this.ids = new Map(
      kinds.filter(({ idField }) => idField !== undefined).map(({ name }) => [name, new SortedIds()]),
    );
    this.firm = new Set(
      kinds.flatMap(({ name, fields }) =>
        fields.some(({ isFirm, refersTo }) => isFirm && refersTo === name) ? [name] : [],
      ),
    );
    this.levels = new DocumentLevels(this.ids.get('document') ?? NO_IDS);
  }

  /**
   * Returns the record of a line.
   * @param number of the record among those of its kind, from 1
   * @throws DamagedArchiveError that names the record
   */
  parse(kind: RecordKind, line: string, number: number): ArchivedRecord {
    if (kind !== this.kind) this.begin(kind);
    if (++this.count > MAX_RECORDS) throw new DamagedArchiveError(`it has too many records of ${kind.name}`);
    const record = parseLine(line);
    const fail = (what: string): never => {
      throw new DamagedArchiveError(`record ${number} of ${kind.name} ${what}`);
    };
    if (!record) return fail('cannot be read');
    const unknown = Object.keys(record).find((name) => !kind.fields.some((field) => field.name === name));
    if (unknown !== undefined) return fail(`has the unknown field ${printable(unknown)}`);
    for (const field of kind.fields) {
      if (!isValid(field, record)) return fail(`has no valid ${field.name}`);
      const lost = this.findLost(kind, field, record);
      if (lost !== undefined) return fail(`refers to the ${lost}, which is not in it`);
    }
    if (!this.isNext(kind, record)) return fail('is not in its place');
    return record;
  }

  /** Checks a file. @throws DamagedArchiveError if it is not that of an attachment */
  file(id: number, size: number): void {
    const rank = this.ids.get('attachment')?.rankOf(id);
    if (rank === undefined || this.sizes.at(rank) !== size) {
      throw new DamagedArchiveError(`the file ${id} is not that of its attachment`);
    }
    this.present.add(rank);
  }

  /** Checks a git repository. @throws DamagedArchiveError if no record describes it */
  repository(id: number): void {
    if (!this.ids.get('gitRepository')?.has(id))
      throw new DamagedArchiveError(`no record describes the git repository ${id}`);
  }

  /** @throws DamagedArchiveError if a file or a referenced record is missing, or a record is below itself or on a wrong level */
  async end({ files }: ArchiveContents): Promise<void> {
    await this.refuseOrphans();
    await this.refuseCircles();
    const misplaced = await this.levels.findMisplaced();
    if (misplaced !== undefined)
      throw new DamagedArchiveError(`the document ${misplaced} is not deeper than the one above it`);
    await this.refuseMissing(files.lost);
  }

  private begin(kind: RecordKind): void {
    this.kind = kind;
    this.key = [];
    this.count = 0;
  }

  private async refuseOrphans(): Promise<void> {
    for (const [name, ancestry] of this.ancestries) {
      const orphan = this.firm.has(name) && (await ancestry.findOrphan(this.ids.get(name) ?? NO_IDS));
      if (orphan)
        throw new DamagedArchiveError(
          `the ${name} ${orphan.id} refers to the ${name} ${orphan.parentId}, which is not in it`,
        );
    }
  }

  private async refuseCircles(): Promise<void> {
    for (const [name, ancestry] of this.ancestries) {
      const id = await ancestry.findCircle();
      if (id !== undefined) throw new DamagedArchiveError(`the ${name} ${id} is below itself`);
    }
  }

  /** @param lost the ids of lost files, which may be there in part */
  private async refuseMissing(lost: readonly number[]): Promise<void> {
    const attachments = this.ids.get('attachment') ?? NO_IDS;
    const isKnown = new Uint8Array(attachments.size);
    for (let index = 0; index < this.present.size; index++) isKnown[this.present.at(index)] = 1;
    for (const id of lost) {
      const rank = attachments.rankOf(id);
      if (rank === undefined) throw new DamagedArchiveError('it names lost files that no record describes');
      isKnown[rank] = 1;
      const pause = loopTurns.pauseInBackground();
      if (pause) await pause;
    }
    if (isKnown.includes(0)) throw new DamagedArchiveError('files of attachments are missing');
  }

  /** Returns what a field refers to that the archive lacks. */
  private findLost(kind: RecordKind, { name, refersTo, isFirm }: RecordField, record: ArchivedRecord) {
    const id = record[name] as number | null;
    if (refersTo === undefined || id === null) return undefined;
    if (refersTo === kind.name) {
      this.addBelow(kind.name, record[kind.idField ?? ''] as number, id);
      return undefined;
    }
    return !isFirm || this.ids.get(refersTo)?.has(id) ? undefined : `${refersTo} ${id}`;
  }

  private addBelow(kind: string, id: number, parentId: number): void {
    const ancestry = this.ancestries.get(kind) ?? new Ancestry();
    this.ancestries.set(kind, ancestry);
    ancestry.add(id, parentId);
  }

  private isNext(kind: RecordKind, record: ArchivedRecord): boolean {
    const key = kind.key.map((name) => record[name]);
    if (this.key.length > 0 && compareKeys(this.key, key) >= 0) return false;
    this.key = key;
    if (kind.idField !== undefined) {
      const id = record[kind.idField] as number;
      if (!isId(id) || id < 1) return false;
      this.ids.get(kind.name)?.add(id);
      if (kind.name === 'attachment') this.sizes.add(record.size as number);
      if (kind.name === 'document' && !this.levels.add(record))
        throw new DamagedArchiveError(`the document ${id} has no valid depth`);
    }
    return true;
  }
}

function parseLine(line: string): ArchivedRecord | undefined {
  if (!hasFewRecordValues(line)) return undefined;
  try {
    const record: unknown = JSON.parse(line);
    return isObject(record) && !Array.isArray(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** JSON is short enough for the database, because its record is: numbers that become longer are few. */
function isValid({ name, isJson, isValid: isOfColumn }: RecordField, record: ArchivedRecord): boolean {
  const value = record[name];
  if (!Object.hasOwn(record, name) || !isOfColumn(value, record)) return false;
  return !isJson || value === null || (isObject(value) && isShallow(value, MAX_DEPTH));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function compareKeys(one: readonly unknown[], other: readonly unknown[]): number {
  for (const [index, value] of one.entries()) {
    const order = compareValues(value, other[index]);
    if (order !== 0) return order;
  }
  return 0;
}

/** Databases compare texts by their bytes. */
const compareValues = (one: unknown, other: unknown): number =>
  typeof one === 'string' && typeof other === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(other))
    : Number(one) - Number(other);
