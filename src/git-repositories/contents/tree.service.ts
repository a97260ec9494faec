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
import {
  type Beginning,
  examineStream,
  isText,
  MAX_EXAMINED,
  readBeginning,
  textType,
} from './text-encoding';

/** Maximum size of a file that is sent, in bytes. */
const MAX_FILE = 100 * 1024 * 1024;
/** Timeout of sending a file, in milliseconds. */
const FILE_TIMEOUT_MS = 10 * 60_000;
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
   * Returns a file as a download. It is read once, and only its beginning if just the headers are sent.
   * @throws NoResourceError when there is no such ref, or no such file in it, InvalidRequestError when it is not a file or too large
   */
  async download(reading: GitReading, { ref, path }: GitFileQuery): Promise<FileAnswer> {
    const commit = await this.commits.find(reading, ref);
    const entry = commit === undefined ? undefined : await this.find(reading, commit, path);
    if (commit === undefined || !entry) throw new NoResourceError('file');
    const { name, type, hash, size } = entry;
    if (type === 'tree') throw InvalidRequestError.of('path', 'path is a folder.');
    if (type === 'commit')
      throw InvalidRequestError.of('path', 'path is a submodule: a commit of another repository.');
    if (size === null || size > MAX_FILE)
      throw InvalidRequestError.of(
        'path',
        'The file is larger than 100 MiB: clone the repository to read it.',
      );
    const content = ['cat-file', 'blob', hash];
    let contentType = '';
    const judge = async (beginning: Beginning): Promise<void> => {
      contentType = await this.typeOf({ ...reading, commit }, entry, beginning);
    };
    const examine = async (): Promise<Beginning> => {
      const chunks = this.reader.chunks(reading, content);
      let beginning: Beginning;
      try {
        beginning = await readBeginning(chunks);
      } finally {
        await chunks.return(undefined);
      }
      // Runs git again, and so must not hold the turn of the first process.
      await judge(beginning);
      return beginning;
    };
    const open = async (signal: AbortSignal): Promise<Readable> => {
      if (size <= MAX_EXAMINED) return Readable.from([(await examine()).bytes], { objectMode: false });
      const question = { timeoutMs: FILE_TIMEOUT_MS };
      return examineStream(await this.reader.stream({ ...reading, signal }, content, question), judge);
    };
    return new FileAnswer({ name, size, entityTag: hash, contentType: () => contentType, examine, open });
  }

  /** Returns the content type of a file. A text has UTF-8 if all of it is, or else the encoding in `.gitattributes`. */
  private async typeOf(
    { commit, ...reading }: GitReading & { commit: string },
    { name, path }: TreeEntryDto,
    { bytes, isUtf8 }: Beginning,
  ): Promise<string> {
    if (!isText(bytes)) return contentTypeOfBinary(name);
    if (isUtf8 !== false) return textType(isUtf8 ? 'utf-8' : undefined);
    return textType((await this.attributes.findEncodings(reading, commit, [path])).get(path));
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

/** Returns the content type of a file that is not text: images have the type of uploaded ones, and anything else is sent as bytes. */
function contentTypeOfBinary(name: string): string {
  const type = contentTypeOf(name);
  return type.startsWith('image/') ? type : 'application/octet-stream';
}
