import { Injectable } from '@nestjs/common';
import { loopTurns } from '../../event-loop/loop-turns';
import {
  keyOf,
  MAX_PATH_BYTES,
  NO_PATCH,
  PatchReader,
  type RawChange,
  RawChangeReader,
  type FilePatch,
  toChangedFileDto,
} from './changed-files';
import { type ChangedFileDto } from './dto/changed-file.dto';
import { GitAttributesService } from './git-attributes.service';
import {
  type GitField,
  type GitQuestion,
  type GitReading,
  GitReaderService,
  TooLargeToCompareError,
} from './git-reader.service';

/** The empty tree, which git knows in every repository. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** The hashes of two commits or trees. */
export interface GitRange {
  from: string;
  to: string;
}

/** Some of the changed files, and their total number. */
export interface ChangedFiles {
  files: ChangedFileDto[];
  total: number;
}

const DIFF_TREE = [
  'diff-tree',
  '-r',
  '-z',
  '-M',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--full-index',
];

/** Text of any size that the service sends is text; git compares larger files as binary ones. */
const COMPARISON = { 'core.bigFileThreshold': '100m' } as const;
/** Only the text of smaller files is compared. */
const SMALL_COMPARISON = { 'core.bigFileThreshold': '1m' } as const;

/**
 * Compares all text, and starts again with that of smaller files alone if git needs too much memory for it.
 * @param compare gets settings for git; must not have sent anything when it rejects
 */
export async function compareWithinMemory<Result>(
  compare: (config: GitQuestion['config']) => Promise<Result>,
): Promise<Result> {
  try {
    return await compare(COMPARISON);
  } catch (error) {
    if (!(error instanceof TooLargeToCompareError)) throw error;
    return compare(SMALL_COMPARISON);
  }
}

/** Finds the files that differ between two commits. */
@Injectable()
export class ChangedFilesService {
  constructor(
    private readonly reader: GitReaderService,
    private readonly attributes: GitAttributesService,
  ) {}

  /** Returns a page of the changed files, with their patches up to the size limits, and their total number. */
  find(reading: GitReading, range: GitRange, slice: Slice): Promise<ChangedFiles> {
    return compareWithinMemory((config) => this.findWith(config, reading, range, slice));
  }

  private async findWith(
    config: GitQuestion['config'],
    reading: GitReading,
    range: GitRange,
    { count, offset }: Slice,
  ): Promise<ChangedFiles> {
    const changes: RawChange[] = [];
    let total = 0;
    const raw = new RawChangeReader();
    const args = [...DIFF_TREE, '--raw', range.from, range.to];
    for await (const field of this.reader.fields(reading, args, { config, maxBytes: MAX_PATH_BYTES })) {
      const change = raw.add(field);
      if (!change) continue;
      if (total >= offset && total < offset + count) changes.push(change);
      // Yields to the event loop while reading a very long list.
      if (++total % FILES_IN_TURN === 0) await loopTurns.nextSlice();
    }
    const patches = await this.findPatches(config, reading, range, changes);
    const files = changes.map((change) => toChangedFileDto(change, patches.get(keyOf(change)) ?? NO_PATCH));
    return { files, total };
  }

  private async findPatches(
    config: GitQuestion['config'],
    reading: GitReading,
    { from, to }: GitRange,
    changes: readonly RawChange[],
  ): Promise<Map<string, FilePatch>> {
    const wanted = changes.filter(
      ({ path, previousPath = path }) => isAddressable(path) && isAddressable(previousPath),
    );
    if (wanted.length === 0) return new Map();
    const paths = new Set(
      wanted.flatMap(({ path, previousPath }) => [path.text, ...(previousPath ? [previousPath.text] : [])]),
    );
    const patches = new PatchReader(new Set(wanted.map(keyOf)));
    const args = [...DIFF_TREE, '--raw', '--numstat', '--patch', from, to, '--', ...paths];
    for await (const chunk of this.reader.chunks(reading, args, { config })) {
      patches.add(chunk);
      if (patches.isFull) break;
    }
    patches.close();
    const encodings = await this.attributes.findEncodings(reading, to, patches.pathsOfOtherEncodings());
    return patches.results((path) => encodings.get(path));
  }
}

interface Slice {
  count: number;
  offset: number;
}

const FILES_IN_TURN = 5000;

/** Returns whether a path can be passed to a process as an argument, which must be valid text. */
const isAddressable = ({ text, isCut }: GitField): boolean => !isCut && !text.includes('\ufffd');
