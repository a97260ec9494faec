import { Injectable } from '@nestjs/common';
import { NoResourceError } from '../../errors/domain-errors';
import { FileAnswer } from '../../http/response/file-answer';
import { ChangedFilesService, compareWithinMemory, type GitRange } from './changed-files.service';
import { CommitsService } from './commits.service';
import { A_REF } from './named-commit.service';
import { type ComparisonDto } from './dto/comparison.dto';
import { type CompareQuery } from './dto/contents-queries.dto';
import { type GitReading, GitReaderService } from './git-reader.service';
import { GeneratedText } from './text-encoding';

/** Maximum size of a diff or patch sent as text, in bytes. */
const MAX_DIFF = 64 * 1024 * 1024;
/** Timeout of sending one, in milliseconds. */
const DIFF_TIMEOUT_MS = 10 * 60_000;
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--full-index', '-M'];

/** Compares two commits. */
@Injectable()
export class ComparisonService {
  constructor(
    private readonly reader: GitReaderService,
    private readonly commits: CommitsService,
    private readonly changedFiles: ChangedFilesService,
  ) {}

  /** @throws NoResourceError when one of the two does not exist */
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

  /** Returns the range that shows the changes of the second commit since the merge base, or since the first commit if there is none. */
  async sinceMergeBase(reading: GitReading, range: GitRange): Promise<GitRange> {
    return { from: (await this.findMergeBase(reading, range)) ?? range.from, to: range.to };
  }

  /** Returns the changes since the merge base in the format of `git diff`. */
  diff(reading: GitReading, range: GitRange, name: string): FileAnswer {
    return this.textAnswer(reading, name, async (signalled) => {
      const { from, to } = await this.sinceMergeBase(signalled, range);
      return ['diff-tree', '-r', '--patch', ...PLAIN, from, to];
    });
  }

  /** Returns the commits that only the second one contains, as mails for `git am`. Merges are left out. */
  patch(reading: GitReading, range: GitRange, name: string): FileAnswer {
    const args = ['format-patch', '--stdout', '--no-signature', '--binary', ...PLAIN, commitsOf(range)];
    return this.textAnswer(reading, name, () => Promise.resolve(args));
  }

  /** Returns the output of git. If git runs out of memory after the part that is examined, the download is cut off. */
  private textAnswer(
    reading: GitReading,
    name: string,
    argsFor: (reading: GitReading) => Promise<readonly string[]>,
  ): FileAnswer {
    const text = new GeneratedText();
    return new FileAnswer({
      name,
      contentType: text.contentType,
      open: async (signal) => {
        const signalled = { ...reading, signal };
        const args = await argsFor(signalled);
        const question = { timeoutMs: DIFF_TIMEOUT_MS, maxBytes: MAX_DIFF };
        // Git prints what precedes a large file before it fails.
        return compareWithinMemory(async (config) =>
          text.examine(await this.reader.stream(signalled, args, { ...question, config })),
        );
      },
    });
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

/** Returns the range of the commits that only the second one contains. */
export const commitsOf = ({ from, to }: GitRange): string => `${from}..${to}`;
