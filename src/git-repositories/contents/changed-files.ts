import { type ChangedFileDto, type ChangeStatus } from './dto/changed-file.dto';
import { FieldSplitter, type GitField, textOf } from './git-reader.service';

/** Most bytes of the patch of one file. */
export const MAX_PATCH = 100 * 1024;
/** Most bytes of all patches in an answer. */
export const MAX_PATCHES = 1024 * 1024;
/** Longest path that is kept: no file system takes more. */
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
  /** Of what has been renamed or copied. */
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

/** Reads the fields of `git diff --raw -z`, one after the other. */
export class RawChangeReader {
  private head?: string;
  private previousPath?: GitField;

  get isBetweenChanges(): boolean {
    return this.head === undefined;
  }

  /** @returns the change that ends with the field */
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
    const ifAny = (value: string, given: string): string | null => (given === NO_MODE ? null : value);
    return {
      status,
      previousMode: ifAny(previousMode, previousMode),
      mode: ifAny(mode, mode),
      previousHash: ifAny(previousHash, previousMode),
      hash: ifAny(hash, mode),
      path: field,
      previousPath,
    };
  }
}

/** What identifies a change among those of two commits. */
export const keyOf = ({ path, previousPath }: RawChange): string =>
  `${previousPath?.text ?? ''}\0${path.text}`;

/** How many files a change has in a patch: a file that becomes a link is taken away and added. */
const sectionsOf = ({ status }: RawChange): number => (status === 'typeChanged' ? 2 : 1);

/** What a patch says of one file. */
export interface FilePatch {
  additions: number | null;
  deletions: number | null;
  patch: string | null;
  isTruncated: boolean;
}

/** Nothing is known of the lines of a file. */
export const NO_PATCH: FilePatch = { additions: null, deletions: null, patch: null, isTruncated: true };

interface Counts {
  additions: number | null;
  deletions: number | null;
}

const SECTION = Buffer.from('\ndiff --git ');
const FIRST_HUNK = Buffer.from('\n@@ ');
const COUNTS = /^(\d+|-)\t(\d+|-)\t(.*)$/s;

/**
 * Reads the output of `git diff --raw --numstat --patch -z`: the changes, the numbers of their lines, and after an empty field the patches
 * of all, in the same order. Of the patches it keeps as much as an answer has room for.
 */
export class PatchReader {
  private readonly fields = new FieldSplitter(2 * MAX_PATH_BYTES);
  private readonly raw = new RawChangeReader();
  private readonly changes: RawChange[] = [];
  private readonly counts: Counts[] = [];
  /** How many fields of a rename are still to come. */
  private pathsToCome = 0;
  private part: 'changes' | 'counts' | 'patches' = 'changes';
  /** Bytes at the end that may begin another file. */
  private rest = Buffer.alloc(0);
  /** The index of the change that the bytes belong to, and how many files of it are still to come. */
  private current = -1;
  private sectionsToCome = 0;
  private section?: Section;
  private readonly patches: (Section | undefined)[] = [];
  private kept = 0;

  /** @param wanted the changes whose patches are kept, by their keys */
  constructor(private readonly wanted: ReadonlySet<string>) {}

  /** Whether nothing of what is still to come would be kept. */
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
      // As if a line had come before the first file as well.
      this.addPatches(Buffer.concat([Buffer.from('\n'), chunk.subarray(start)]));
      return;
    }
    for (const field of this.fields.add(chunk.subarray(start))) this.addField(field);
  }

  /** What has been read, by the keys of the changes. */
  end(): Map<string, FilePatch> {
    this.keep(this.rest);
    if (this.isFull) this.section?.cut();
    return new Map(this.changes.map((change, index) => [keyOf(change), this.patchOf(index)]));
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
    // Of a rename both paths follow as fields of their own.
    if (path === '') this.pathsToCome = 2;
  }

  private addPatches(chunk: Buffer): void {
    let bytes = this.rest.length > 0 ? Buffer.concat([this.rest, chunk]) : chunk;
    for (let at = bytes.indexOf(SECTION); at !== -1; at = bytes.indexOf(SECTION)) {
      // The line break belongs to the file before.
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

  private patchOf(index: number): FilePatch {
    const { additions, deletions } = this.counts[index] ?? { additions: null, deletions: null };
    const counts = { additions, deletions };
    if (additions === null) return { ...counts, patch: null, isTruncated: this.counts[index] === undefined };
    const section = this.patches[index];
    return section ? { ...counts, ...section.end() } : { ...counts, patch: null, isTruncated: true };
  }
}

const numberOf = (text: string | undefined): number | null =>
  text === undefined || text === '-' ? null : Number(text);

/** The patch of a file, without the lines above its first hunk. */
class Section {
  private readonly parts: Buffer[] = [];
  private size = 0;
  private isCut = false;
  /** What has come of the lines above the first hunk; undefined below them. */
  private head?: Buffer;

  /** Another file follows, with lines above its first hunk. */
  begin(): void {
    this.head = Buffer.alloc(0);
  }

  /** More would have come. */
  cut(): void {
    this.isCut = true;
  }

  /** @returns how many bytes are kept */
  add(bytes: Buffer, room: number): number {
    let lines = bytes;
    if (this.head) {
      const head = Buffer.concat([this.head, bytes]);
      const at = head.indexOf(FIRST_HUNK);
      if (at === -1) {
        // Names of any length are in it.
        this.head = Buffer.from(head.subarray(-FIRST_HUNK.length));
        return 0;
      }
      this.head = undefined;
      lines = head.subarray(at + 1);
    }
    const most = Math.min(MAX_PATCH - this.size, room);
    const kept = lines.subarray(0, Math.max(0, most));
    if (kept.length < lines.length) this.isCut = true;
    // A part of a chunk would keep all of it.
    if (kept.length > 0) this.parts.push(Buffer.from(kept));
    this.size += kept.length;
    return kept.length;
  }

  /** Whole lines, and whether there were more. */
  end(): Pick<FilePatch, 'patch' | 'isTruncated'> {
    const bytes = Buffer.concat(this.parts);
    const lastLine = this.isCut ? bytes.lastIndexOf(10) + 1 : bytes.length;
    const isLine = lastLine > 0;
    const text = isLine ? bytes.subarray(0, lastLine).toString('utf8') : textOf(bytes, this.isCut);
    return { patch: text, isTruncated: this.isCut };
  }
}

/** A change as the wire shows it. */
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
