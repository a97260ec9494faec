import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { GitStore } from '../../git/git-store';
import { MAX_PATH_BYTES } from './changed-files';
import { type GitReading, GitReaderService } from './git-reader.service';
import { knownEncoding } from './text-encoding';

/** Maximum number of `.gitattributes` files of a commit, and their maximum size together, in bytes. The others have no effect. */
const MAX_FILES = 1000;
const MAX_SIZE = 4 * 1024 * 1024;
/** Maximum number of names in the paths of all these files together: many folders can share a tree in git, but not in a file system. */
const MAX_NAMES = 5000;
/** Maximum length of their paths and of each name, in bytes, which file systems limit. */
const MAX_FILE_PATH_BYTES = 1024;
const MAX_NAME_BYTES = 255;
/** Attributes that name the encoding of a file, the first that is known counts: for its display, and in a working tree. */
const ENCODINGS = ['encoding', 'working-tree-encoding'];
/** A regular file with this name: mode, type and hash, followed by a tab and the path. */
const FILE = /^100(?:644|755) blob ([0-9a-f]{40})\t((?:.*\/)?\.gitattributes)$/s;
/** The line of `git cat-file` about a file that git has: hash, type and size. */
const BLOB_HEADER = /^[0-9a-f]{40} blob (\d+)$/;
/** Parts of paths that would lead out of a folder. Git refuses pushes with them. */
const ESCAPE = /(^|\/)(\.{0,2}|\.git)(\/|$)/i;

interface AttributeFile {
  path: string;
  hash: string;
}

/** Makes the `.gitattributes` of commits known to git, which reads none in a bare repository. */
@Injectable()
export class GitAttributesService {
  constructor(
    private readonly reader: GitReaderService,
    private readonly store: GitStore,
  ) {}

  /**
   * Runs work with a temporary folder that contains the `.gitattributes` files of a commit, and nothing else.
   * @param work gets the folder for `workTree`; undefined when the commit has no such files
   */
  async withFiles<Result>(
    reading: GitReading,
    commit: string,
    work: (workTree: string | undefined) => Promise<Result>,
  ): Promise<Result> {
    const files = await this.findFiles(reading, commit);
    if (files.length === 0) return work(undefined);
    const folder = await this.store.makeTemporary('attributes');
    try {
      await this.write(reading, folder, files);
      return await work(folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /**
   * Returns the encodings that `.gitattributes` of a commit give for files that are not UTF-8, as `TextDecoder` names them, by the paths. Leaves
   * out files without a known encoding.
   */
  async findEncodings(
    reading: GitReading,
    commit: string,
    paths: readonly string[],
  ): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    if (paths.length === 0) return found;
    return this.withFiles(reading, commit, async (workTree) => {
      if (workTree === undefined) return found;
      const args = ['check-attr', '-z', '--stdin', ...ENCODINGS];
      const question = {
        workTree,
        input: paths.map((path) => `${path}\0`).join(''),
        maxBytes: MAX_PATH_BYTES,
      };
      let fields: string[] = [];
      for await (const { text } of this.reader.fields(reading, args, question)) {
        fields.push(text);
        if (fields.length < FIELDS) continue;
        const [path = '', , value = ''] = fields;
        fields = [];
        const encoding = knownEncoding(value);
        // Files are asked for because they are not UTF-8.
        if (encoding !== undefined && encoding !== 'utf-8' && !found.has(path)) found.set(path, encoding);
      }
      return found;
    });
  }

  private async findFiles(reading: GitReading, commit: string): Promise<AttributeFile[]> {
    const files: AttributeFile[] = [];
    let namesLeft = MAX_NAMES;
    // Without `-l`, for which git would look up the size of every file of the commit.
    const args = ['ls-tree', '-r', '-z', '--full-tree', commit];
    for await (const { text } of this.reader.fields(reading, args, { maxBytes: 2 * MAX_PATH_BYTES })) {
      const [, hash = '', path = ''] = FILE.exec(text) ?? [];
      if (hash === '' || path.includes('\ufffd') || ESCAPE.test(path)) continue;
      const names = path.split('/');
      if (names.length > namesLeft || !isStorable(path, names)) continue;
      namesLeft -= names.length;
      files.push({ path, hash });
      if (files.length === MAX_FILES) break;
    }
    return files.length === 0 ? files : this.withinSize(reading, files);
  }

  /** Leaves out files that exceed the size limit together with the files before them, and those that git does not have. */
  private async withinSize(reading: GitReading, files: readonly AttributeFile[]): Promise<AttributeFile[]> {
    const answers = await this.reader.text(reading, ['cat-file', '--batch-check'], {
      input: hashesOf(files),
    });
    const lines = answers.split('\n');
    let left = MAX_SIZE;
    return files.filter((_file, index) => {
      const size = sizeIn(lines[index] ?? '');
      if (size === undefined || size > left) return false;
      left -= size;
      return true;
    });
  }

  private async write(reading: GitReading, folder: string, files: readonly AttributeFile[]): Promise<void> {
    const chunks: Buffer[] = [];
    const question = { input: hashesOf(files) };
    for await (const chunk of this.reader.chunks(reading, ['cat-file', '--batch'], question))
      chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    let at = 0;
    for (const { path } of files) {
      const start = bytes.indexOf(10, at) + 1;
      const size = sizeIn(bytes.toString('latin1', at, start - 1));
      // Nothing follows the line about a file that git does not have, and a line break each content.
      at = size === undefined ? start : start + size + 1;
      if (size !== undefined) await writeInFolder(join(folder, path), bytes.subarray(start, start + size));
    }
  }
}

const hashesOf = (files: readonly AttributeFile[]): string => files.map(({ hash }) => `${hash}\n`).join('');

/** Returns the size in a line of `git cat-file`; undefined when git does not have the file. */
function sizeIn(line: string): number | undefined {
  const [, digits] = BLOB_HEADER.exec(line) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** Whether a file system can store a path. */
const isStorable = (path: string, names: readonly string[]): boolean =>
  Buffer.byteLength(path) <= MAX_FILE_PATH_BYTES &&
  names.every((name) => Buffer.byteLength(name) <= MAX_NAME_BYTES);

/** Writes a file, and its folder. Leaves out one whose path the file system cannot store beside the others. */
async function writeInFolder(path: string, bytes: Buffer): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  } catch (error) {
    if (!UNSTORABLE.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

/** A name is too long, or a file and a folder have the same name, as far as the file system distinguishes names. */
const UNSTORABLE: readonly string[] = ['ENAMETOOLONG', 'ENOTDIR', 'EEXIST', 'EISDIR'];

/** Path, attribute and value. */
const FIELDS = 3;
