import { Injectable } from '@nestjs/common';
import { NoResourceError } from '../../errors/domain-errors';
import { type Page, toOffsetPage } from '../../paging/page';
import { ChangedFilesService, EMPTY_TREE } from './changed-files.service';
import { type CommitDto, type CommitWithFilesDto } from './dto/commit.dto';
import { type ListCommitsQuery } from './dto/contents-queries.dto';
import { type GitReading, GitReaderService } from './git-reader.service';
import { MAX_MESSAGE, withoutLastBreaks } from './git-message';
import { toCommitPerson } from './git-person';
import { NamedCommitService } from './named-commit.service';

const FORMAT = '--format=%H%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B';
const FIELDS = 9;
const HASH = /^[0-9a-f]{40}$/;

/** A slice of a list of commits. */
export interface CommitSlice {
  count: number;
  offset: number;
}

/** Reads the commits of git repositories. */
@Injectable()
export class CommitsService {
  constructor(
    private readonly reader: GitReaderService,
    private readonly commits: NamedCommitService,
    private readonly changedFiles: ChangedFilesService,
  ) {}

  /**
   * Returns one page of the commits that a ref contains, newest first.
   * @throws NoResourceError when there is no such ref
   */
  async list(reading: GitReading, query: ListCommitsQuery): Promise<Page<CommitDto>> {
    const { ref, path = '', author, since, until } = query;
    const commit = await this.commits.find(reading, ref);
    if (commit === undefined) return toOffsetPage([], query);
    const filters = [
      ...(author === undefined ? [] : ['--fixed-strings', '--regexp-ignore-case', `--author=${author}`]),
      ...(since ? [`--max-age=${secondsOf(since)}`] : []),
      ...(until ? [`--min-age=${secondsOf(until)}`] : []),
    ];
    // No commit is older than 1970.
    if (until && until.getTime() < 0) return toOffsetPage([], query);
    return this.findPage(reading, [...filters, commit, '--', ...(path === '' ? [] : [path])], query);
  }

  /** Returns one page of the commits in a range of revisions. */
  async findPage(
    reading: GitReading,
    revisions: readonly string[],
    slice: CommitSlice,
  ): Promise<Page<CommitDto>> {
    return toOffsetPage(await this.find(reading, revisions, { ...slice, count: slice.count + 1 }), slice);
  }

  /** Returns the commits in a range of revisions, newest first. */
  async find(
    reading: GitReading,
    revisions: readonly string[],
    { count, offset }: CommitSlice,
  ): Promise<CommitDto[]> {
    const args = ['log', '-z', '--no-color', '--no-decorate', '--no-mailmap', FORMAT];
    const slice = [`--max-count=${count}`, `--skip=${offset}`];
    const commits: CommitDto[] = [];
    let fields: { text: string; isCut: boolean }[] = [];
    for await (const field of this.reader.fields(reading, [...args, ...slice, ...revisions], {
      maxBytes: MAX_MESSAGE,
    })) {
      fields.push(field);
      if (fields.length < FIELDS) continue;
      commits.push(toCommitDto(fields));
      fields = [];
    }
    return commits;
  }

  /**
   * Returns a commit, and a slice of the files that it changes.
   * @throws NoResourceError when there is no such commit
   */
  async get(reading: GitReading, hash: string, slice: CommitSlice): Promise<CommitWithFilesDto> {
    const found = await this.reader.findHash(reading, hash);
    if (found === undefined) throw new NoResourceError('commit');
    const [commit] = await this.find(reading, [found, '--'], { count: 1, offset: 0 });
    if (!commit) throw new NoResourceError('commit');
    const range = { from: commit.parents[0] ?? EMPTY_TREE, to: found };
    const { files, total } = await this.changedFiles.find(reading, range, slice);
    return { ...commit, changedFiles: total, files };
  }
}

const secondsOf = (time: Date): number => Math.max(0, Math.floor(time.getTime() / 1000));

function toCommitDto(fields: readonly { text: string; isCut: boolean }[]): CommitDto {
  const [hash = '', parents = '', ...people] = fields.map(({ text }) => text);
  const [author = '', authorMail = '', authored = '', committer = '', committerMail = '', committed = ''] =
    people;
  return {
    hash,
    parents: parents.split(' ').filter((parent) => HASH.test(parent)),
    author: toCommitPerson(author, authorMail, authored),
    committer: toCommitPerson(committer, committerMail, committed),
    message: withoutLastBreaks(people[6] ?? ''),
    isMessageTruncated: fields[FIELDS - 1]?.isCut ?? false,
  };
}
