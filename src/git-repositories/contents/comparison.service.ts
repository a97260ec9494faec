import { type Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { NoResourceError } from '../../errors/domain-errors';
import { FileAnswer } from '../../http/response/file-answer';
import { ChangedFilesService, type GitRange } from './changed-files.service';
import { CommitsService } from './commits.service';
import { A_REF } from './named-commit.service';
import { type ComparisonDto } from './dto/comparison.dto';
import { type CompareQuery } from './dto/contents-queries.dto';
import { type GitReading, GitReaderService } from './git-reader.service';

/** Most bytes of a patch that is sent as a text. */
export const MAX_DIFF = 64 * 1024 * 1024;
/** How long a client may take to receive one. */
const DIFF_TIMEOUT_MS = 10 * 60_000;
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--full-index', '-M'];

/** What one commit has that another has not. */
@Injectable()
export class ComparisonService {
  constructor(
    private readonly reader: GitReaderService,
    private readonly commits: CommitsService,
    private readonly changedFiles: ChangedFilesService,
  ) {}

  /** @throws NoResourceError when one of the two is not there */
  async compare(reading: GitReading, query: CompareQuery): Promise<ComparisonDto> {
    const { base, head, count, offset, fileOffset } = query;
    const [baseCommit, headCommit] = await this.reader.findCommits(reading, [base, head]);
    if (baseCommit === undefined || headCommit === undefined) throw new NoResourceError(A_REF);
    const range = { from: baseCommit, to: headCommit };
    const mergeBase = await this.findMergeBase(reading, range);
    const [{ ahead, behind }, commits, { files, total }] = await Promise.all([
      this.count(reading, range),
      this.commits.find(reading, [commitsOf(range), '--'], { count, offset }),
      this.changedFiles.find(
        reading,
        { from: mergeBase ?? baseCommit, to: headCommit },
        { count, offset: fileOffset },
      ),
    ]);
    return {
      baseCommit,
      headCommit,
      mergeBase: mergeBase ?? null,
      ahead,
      behind,
      commits,
      changedFiles: total,
      files,
      isTruncated: offset + commits.length < ahead || fileOffset + files.length < total,
    };
  }

  /** What is to be compared to see what the second of two commits has changed since both were one: its merge base, if there is one. */
  async sinceMergeBase(reading: GitReading, range: GitRange): Promise<GitRange> {
    return { from: (await this.findMergeBase(reading, range)) ?? range.from, to: range.to };
  }

  /** The differences since two commits were one, as `git diff` writes them. */
  diff(reading: GitReading, range: GitRange, name: string): FileAnswer {
    return textAnswer(name, async (signal) => {
      const { from, to } = await this.sinceMergeBase({ ...reading, signal }, range);
      return this.stream({ ...reading, signal }, ['diff-tree', '-r', '--patch', ...PLAIN, from, to]);
    });
  }

  /** The commits that only the second of two has, as mails that `git am` reads. Merges are left out. */
  patch(reading: GitReading, range: GitRange, name: string): FileAnswer {
    const args = ['format-patch', '--stdout', '--no-signature', '--no-binary', ...PLAIN, commitsOf(range)];
    return textAnswer(name, (signal) => this.stream({ ...reading, signal }, args));
  }

  private stream(reading: GitReading, args: readonly string[]): Promise<Readable> {
    return this.reader.stream(reading, args, { timeoutMs: DIFF_TIMEOUT_MS, maxBytes: MAX_DIFF });
  }

  private async findMergeBase(reading: GitReading, { from, to }: GitRange): Promise<string | undefined> {
    const text = await this.reader.text(reading, ['merge-base', from, to], { okCodes: [1] });
    return text === '' ? undefined : text;
  }

  private async count(
    reading: GitReading,
    { from, to }: GitRange,
  ): Promise<{ ahead: number; behind: number }> {
    const text = await this.reader.text(reading, [
      'rev-list',
      '--left-right',
      '--count',
      `${from}...${to}`,
      '--',
    ]);
    const [behind = 0, ahead = 0] = text.split('\t').map(Number);
    return { ahead, behind };
  }
}

/** The revisions that only the second of two commits has. */
export const commitsOf = ({ from, to }: GitRange): string => `${from}..${to}`;

const textAnswer = (name: string, open: (signal: AbortSignal) => Promise<Readable>): FileAnswer =>
  new FileAnswer({ name, open, contentType: 'text/plain; charset=utf-8' });
