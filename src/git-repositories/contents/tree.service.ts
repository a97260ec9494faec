import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { InvalidRequestError, NoResourceError } from '../../errors/domain-errors';
import { contentTypeOf } from '../../http/response/content-type';
import { FileAnswer } from '../../http/response/file-answer';
import { type Page, toOffsetPage } from '../../paging/page';
import { MAX_PATH_BYTES } from './changed-files';
import { NamedCommitService } from './named-commit.service';
import { type GitFileQuery, type ListTreeQuery } from './dto/contents-queries.dto';
import { type TreeEntryDto, type TreeEntryType } from './dto/tree-entry.dto';
import { GitAttributesService } from './git-attributes.service';
import { type GitField, type GitReading, GitReaderService } from './git-reader.service';
import { textType, Utf8Check } from './text-encoding';

/** Maximum size of a file that is sent, in bytes. */
const MAX_FILE = 100 * 1024 * 1024;
/** Timeout of sending a file, in milliseconds. */
const FILE_TIMEOUT_MS = 10 * 60_000;
/** Maximum size of a file that is read as a whole, in bytes. */
const SMALL_FILE = 64 * 1024;
/** Number of bytes examined to detect text, as in git. */
const LOOKED_AT = 8000;
const SYMLINK = '120000';

/** Reads the folders and files of git repositories. */
@Injectable()
export class TreeService {
  constructor(
    private readonly reader: GitReaderService,
    private readonly commits: NamedCommitService,
    private readonly attributes: GitAttributesService,
  ) {}

  /**
   * Returns one page of the entries of a folder, in git's order.
   * @throws NoResourceError when there is no such ref, or no such folder in it
   */
  async list(reading: GitReading, query: ListTreeQuery): Promise<Page<TreeEntryDto>> {
    const { ref, path = '', count, offset } = query;
    const commit = await this.commits.find(reading, ref);
    const entries: TreeEntryDto[] = [];
    let index = 0;
    if (commit !== undefined) {
      const folder = path === '' ? '' : `${path}/`;
      for await (const entry of this.entries(reading, commit, folder === '' ? [] : [folder])) {
        // When the path is a submodule, git lists the submodule itself.
        if (!entry.path.startsWith(folder)) break;
        if (index++ >= offset) entries.push(entry);
        if (entries.length > count) break;
      }
    }
    // In git, only the top folder can be empty.
    if (index === 0 && path !== '') throw new NoResourceError('folder');
    return toOffsetPage(entries, query);
  }

  /**
   * Returns a file as a download.
   * @throws NoResourceError when there is no such ref, or no such file in it, InvalidRequestError when it is not a file or too large
   */
  async download(reading: GitReading, { ref, path }: GitFileQuery): Promise<FileAnswer> {
    const commit = await this.commits.find(reading, ref);
    const entry = commit === undefined ? undefined : await this.find(reading, commit, path);
    if (!entry) throw new NoResourceError('file');
    const { name, type, hash, size } = entry;
    if (type === 'tree') throw InvalidRequestError.of('path', 'path is a folder.');
    if (type === 'commit')
      throw InvalidRequestError.of('path', 'path is a submodule: a commit of another repository.');
    if (size === null || size > MAX_FILE)
      throw InvalidRequestError.of(
        'path',
        'The file is larger than 100 MiB: clone the repository to read it.',
      );
    const start = await this.startOf(reading, hash, size);
    const open = (signal: AbortSignal): Promise<Readable> =>
      start.length === size
        ? Promise.resolve(Readable.from([start], { objectMode: false }))
        : this.reader.stream({ ...reading, signal }, ['cat-file', 'blob', hash], {
            timeoutMs: FILE_TIMEOUT_MS,
          });
    const contentType = isText(start)
      ? textType(await this.charsetOf({ ...reading, commit: commit as string }, entry, start))
      : contentTypeOfBinary(name);
    return new FileAnswer({ name, size, open, contentType, entityTag: hash });
  }

  /** Returns the encoding of a text: UTF-8 if all of it is, or else what `.gitattributes` says; undefined when it is not known. */
  private async charsetOf(
    { commit, ...reading }: GitReading & { commit: string },
    { path, hash, size }: TreeEntryDto,
    start: Buffer,
  ): Promise<string | undefined> {
    const check = new Utf8Check();
    if (start.length === size) check.add(start);
    else {
      const question = { timeoutMs: FILE_TIMEOUT_MS };
      for await (const chunk of this.reader.chunks(reading, ['cat-file', 'blob', hash], question))
        if (!check.add(chunk)) break;
    }
    if (check.end()) return 'utf-8';
    return (await this.attributes.findEncodings(reading, commit, [path])).get(path);
  }

  private async find(reading: GitReading, commit: string, path: string): Promise<TreeEntryDto | undefined> {
    for await (const entry of this.entries(reading, commit, [path])) return entry;
    return undefined;
  }

  private async *entries(
    reading: GitReading,
    commit: string,
    paths: readonly string[],
  ): AsyncGenerator<TreeEntryDto> {
    const args = ['ls-tree', '-z', '-l', '--full-tree', commit, '--', ...paths];
    for await (const field of this.reader.fields(reading, args, { maxBytes: 2 * MAX_PATH_BYTES })) {
      const entry = toTreeEntry(field);
      if (entry) yield entry;
    }
  }

  /** Reads a small file completely, and the beginning of any other. */
  private async startOf(reading: GitReading, hash: string, size: number): Promise<Buffer> {
    const wanted = size <= SMALL_FILE ? size : LOOKED_AT;
    const chunks: Buffer[] = [];
    let read = 0;
    if (size === 0) return Buffer.alloc(0);
    for await (const chunk of this.reader.chunks(reading, ['cat-file', 'blob', hash])) {
      chunks.push(chunk);
      read += chunk.length;
      if (read >= wanted) break;
    }
    return Buffer.concat(chunks).subarray(0, wanted);
  }
}

/** Mode, type, hash and size, followed by a tab and the path. */
const ENTRY = /^(\d{6}) (\w+) ([0-9a-f]{40}) +(\d+|-)\t(.*)$/s;

function toTreeEntry({ text }: GitField): TreeEntryDto | undefined {
  const [, mode = '', gitType = '', hash = '', size = '', path = ''] = ENTRY.exec(text) ?? [];
  if (hash === '') return undefined;
  const type = (mode === SYMLINK ? 'symlink' : gitType) as TreeEntryType;
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { name, path, type, mode, size: size === '-' ? null : Number(size), hash };
}

/** Returns whether a file is text: judged by its first bytes, as in git, whatever the name. */
export const isText = (start: Buffer): boolean => !start.subarray(0, LOOKED_AT).includes(0);

/** Returns the content type of a file that is not text: images have the type of uploaded ones, and anything else is sent as bytes. */
export function contentTypeOfBinary(name: string): string {
  const type = contentTypeOf(name);
  return type.startsWith('image/') ? type : 'application/octet-stream';
}
