import { isUtf8 } from 'node:buffer';
import { type ChangedFileDto, type ChangeStatus } from './dto/changed-file.dto';
import { FieldSplitter, type GitField, lengthOfWholeCharacters } from './git-reader.service';

/** Maximum size of the patch of one file, in bytes. */
export const MAX_PATCH = 100 * 1024;
/** Maximum size of all patches in a response, in bytes. */
export const MAX_PATCHES = 1024 * 1024;
/** Maximum number of bytes kept of a path: no file system allows more. */
export const MAX_PATH_BYTES = 4096;
const NO_MODE = '000000';

/** A line of `git diff --raw`. */
export interface RawChange {
  status: ChangeStatus;
  previousMode: string | null;
  mode: string | null;
  previousHash: string | null;
  hash: string | null;
  path: GitField;
  /** The old path of a renamed or copied file. */
  previousPath: GitField | undefined;
}

const STATUSES: Readonly<Record<string, ChangeStatus>> = {
  A: 'added',
  C: 'copied',
  D: 'deleted',
  M: 'modified',
  R: 'renamed',
  T: 'typeChanged',
};

/** Parses the fields of `git diff --raw -z`, one after the other. */
export class RawChangeReader {
  private head?: string;
  private previousPath?: GitField;

  get isBetweenChanges(): boolean {
    return this.head === undefined;
  }

  /** @returns the change, when this field completes it */
  add(field: GitField): RawChange | undefined {
    if (this.head === undefined) {
      this.head = field.text;
      return undefined;
    }
    const [previousMode = '', mode = '', previousHash = '', hash = '', letter = ''] = this.head
      .slice(1)
      .split(' ');
    const status = STATUSES[letter.charAt(0)] ?? 'modified';
    const isMoved = status === 'renamed' || status === 'copied';
    if (isMoved && !this.previousPath) {
      this.previousPath = field;
      return undefined;
    }
    const { previousPath } = this;
    this.head = undefined;
    this.previousPath = undefined;
    const nullIfMissing = (value: string, given: string): string | null => (given === NO_MODE ? null : value);
    return {
      status,
      previousMode: nullIfMissing(previousMode, previousMode),
      mode: nullIfMissing(mode, mode),
      previousHash: nullIfMissing(previousHash, previousMode),
      hash: nullIfMissing(hash, mode),
      path: field,
      previousPath,
    };
  }
}

/** Returns the key of a change, unique within a diff. */
export const keyOf = ({ path, previousPath }: RawChange): string =>
  `${previousPath?.text ?? ''}\0${path.text}`;

/** Returns the number of sections of a change in a patch: a file that becomes a link is deleted and added. */
const sectionsOf = ({ status }: RawChange): number => (status === 'typeChanged' ? 2 : 1);

/** The patch of one file, with its line counts. */
export interface FilePatch {
  additions: number | null;
  deletions: number | null;
  patch: string | null;
  isTruncated: boolean;
}

/** The value for a file without a known patch. */
export const NO_PATCH: FilePatch = { additions: null, deletions: null, patch: null, isTruncated: true };

interface Counts {
  additions: number | null;
  deletions: number | null;
}

const SECTION = Buffer.from('\ndiff --git ');
const FIRST_HUNK = Buffer.from('\n@@ ');
const COUNTS = /^(\d+|-)\t(\d+|-)\t(.*)$/s;

/**
 * Parses the output of `git diff --raw --numstat --patch -z`: the changes, their line counts, and after an empty field all patches, in the
 * same order. Keeps patches up to the limits of a response.
 */
export class PatchReader {
  private readonly fields = new FieldSplitter(2 * MAX_PATH_BYTES);
  private readonly raw = new RawChangeReader();
  private readonly changes: RawChange[] = [];
  private readonly counts: Counts[] = [];
  /** Number of path fields of a rename yet to be read. */
  private pathsToCome = 0;
  private part: 'changes' | 'counts' | 'patches' = 'changes';
  /** Trailing bytes that may be the start of the next file. */
  private rest = Buffer.alloc(0);
  /** The index of the current change, and the number of its sections yet to be read. */
  private current = -1;
  private sectionsToCome = 0;
  private section?: Section;
  private readonly patches: (Section | undefined)[] = [];
  private kept = 0;

  /** @param wanted the changes whose patches are kept, by their keys */
  constructor(private readonly wanted: ReadonlySet<string>) {}

  /** Whether no further bytes would be kept. */
  get isFull(): boolean {
    return this.kept >= MAX_PATCHES;
  }

  add(chunk: Buffer): void {
    if (this.part === 'patches') {
      this.addPatches(chunk);
      return;
    }
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      for (const field of this.fields.add(chunk.subarray(start, end + 1))) this.addField(field);
      start = end + 1;
      if (!this.isPatches()) continue;
      // Makes the first file start with a line break, like all others.
      this.addPatches(Buffer.concat([Buffer.from('\n'), chunk.subarray(start)]));
      return;
    }
    for (const field of this.fields.add(chunk.subarray(start))) this.addField(field);
  }

  /** Ends the reading: keeps the trailing bytes. */
  close(): void {
    this.keep(this.rest);
    if (this.isFull) this.section?.cut();
  }

  /** Returns the paths of the files whose patches are not UTF-8. */
  pathsOfOtherEncodings(): string[] {
    return this.changes.flatMap(({ path }, index) =>
      this.patches[index]?.isUtf8 === false ? [path.text] : [],
    );
  }

  /**
   * Returns the patches by the keys of their changes.
   * @param encodingOf returns the encoding of a file whose patch is not UTF-8, as `TextDecoder` names it; undefined when it is not known, and
   * the patch then has U+FFFD in place of bytes that are not UTF-8
   */
  results(encodingOf: (path: string) => string | undefined): Map<string, FilePatch> {
    return new Map(
      this.changes.map((change, index) => [keyOf(change), this.patchOf(index, encodingOf(change.path.text))]),
    );
  }

  private isPatches(): boolean {
    return this.part === 'patches';
  }

  private addField(field: GitField): void {
    if (this.part === 'changes' && (field.text.startsWith(':') || !this.raw.isBetweenChanges)) {
      const change = this.raw.add(field);
      if (change) this.changes.push(change);
      return;
    }
    this.part = 'counts';
    if (this.pathsToCome > 0) {
      this.pathsToCome--;
      return;
    }
    if (field.text === '') {
      this.part = 'patches';
      return;
    }
    const [, additions, deletions, path] = COUNTS.exec(field.text) ?? [];
    this.counts.push({ additions: numberOf(additions), deletions: numberOf(deletions) });
    // For a rename, both paths follow as separate fields.
    if (path === '') this.pathsToCome = 2;
  }

  private addPatches(chunk: Buffer): void {
    let bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    for (let at = bytes.indexOf(SECTION); at !== -1; at = bytes.indexOf(SECTION)) {
      // The line break belongs to the previous file.
      this.keep(bytes.subarray(0, at + 1));
      this.begin();
      bytes = bytes.subarray(at + SECTION.length);
    }
    const end = Math.max(0, bytes.length - SECTION.length + 1);
    this.keep(bytes.subarray(0, end));
    this.rest = Buffer.from(bytes.subarray(end));
  }

  private begin(): void {
    if (this.sectionsToCome === 0) {
      this.current++;
      const change = this.changes[this.current];
      this.sectionsToCome = change ? sectionsOf(change) : 1;
      this.section = change && this.wanted.has(keyOf(change)) ? new Section() : undefined;
      this.patches[this.current] = this.section;
    }
    this.sectionsToCome--;
    this.section?.begin();
  }

  private keep(bytes: Buffer): void {
    if (this.section) this.kept += this.section.add(bytes, MAX_PATCHES - this.kept);
  }

  private patchOf(index: number, encoding: string | undefined): FilePatch {
    const { additions, deletions } = this.counts[index] ?? { additions: null, deletions: null };
    const counts = { additions, deletions };
    if (additions === null) return { ...counts, patch: null, isTruncated: this.counts[index] === undefined };
    const section = this.patches[index];
    return section ? { ...counts, ...section.end(encoding) } : { ...counts, patch: null, isTruncated: true };
  }
}

const numberOf = (text: string | undefined): number | null =>
  text === undefined || text === '-' ? null : Number(text);

/** The patch of a file, without the lines above its first hunk. */
class Section {
  private readonly parts: Buffer[] = [];
  private size = 0;
  private isCut = false;
  /** The end of the text above the first hunk; undefined once the hunk has been found. */
  private head?: Buffer;

  /** Starts another file, with lines above its first hunk. */
  begin(): void {
    this.head = Buffer.alloc(0);
  }

  /** Marks the patch as truncated. */
  cut(): void {
    this.isCut = true;
  }

  /** @returns the number of bytes kept */
  add(bytes: Buffer, room: number): number {
    let lines = bytes;
    if (this.head) {
      const head = Buffer.concat([this.head, bytes]);
      const at = head.indexOf(FIRST_HUNK);
      if (at === -1) {
        // Only the end is kept, because the names in these lines can be of any length.
        this.head = Buffer.from(head.subarray(-FIRST_HUNK.length));
        return 0;
      }
      this.head = undefined;
      lines = head.subarray(at + 1);
    }
    const most = Math.min(MAX_PATCH - this.size, room);
    const kept = lines.subarray(0, Math.max(0, most));
    if (kept.length < lines.length) this.isCut = true;
    // A slice would keep the whole chunk in memory.
    if (kept.length > 0) this.parts.push(Buffer.from(kept));
    this.size += kept.length;
    return kept.length;
  }

  /** Whether its lines are UTF-8. */
  get isUtf8(): boolean {
    return isUtf8(this.lines());
  }

  /** Returns whole lines, and whether there were more. @param encoding of lines that are not UTF-8 */
  end(encoding: string | undefined): Pick<FilePatch, 'patch' | 'isTruncated'> {
    const lines = this.lines();
    const isDecoded = encoding !== undefined && !isUtf8(lines);
    return {
      patch: isDecoded ? new TextDecoder(encoding).decode(lines) : lines.toString('utf8'),
      isTruncated: this.isCut,
    };
  }

  private lines(): Buffer {
    const bytes = Buffer.concat(this.parts);
    if (!this.isCut) return bytes;
    const lastLine = bytes.lastIndexOf(10) + 1;
    return bytes.subarray(0, lastLine > 0 ? lastLine : lengthOfWholeCharacters(bytes));
  }
}

/** Converts a change to its response. */
export function toChangedFileDto(change: RawChange, patch: FilePatch): ChangedFileDto {
  const { path, previousPath, status, previousMode, mode, previousHash, hash } = change;
  return {
    path: path.text,
    previousPath: previousPath?.text ?? null,
    status,
    previousMode,
    mode,
    previousHash,
    hash,
    ...patch,
  };
}
