import { Injectable } from '@nestjs/common';
import { ConflictError, ServiceUnavailableError } from '../../errors/domain-errors';
import { GitError, toGitError } from '../../git/git-errors';
import { GitProgram, LIMITED_MEMORY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { GitAttributesService } from '../../git-repositories/contents/git-attributes.service';
import { MAX_PATH_BYTES } from '../../git-repositories/contents/changed-files';
import { type GitRange } from '../../git-repositories/contents/changed-files.service';
import {
  FieldSplitter,
  type GitReading,
  GitReaderService,
  TooLargeToCompareError,
} from '../../git-repositories/contents/git-reader.service';
import { NO_HASH } from '../../git-repositories/refs/ref-names';
import { syncObjects } from '../../git/sync-folders';
import { type GitIdentity } from './git-identity';

/** Maximum number of files in the error about a conflict. */
const MAX_NAMED_FILES = 20;
/** Maximum length of a file's name in that error. */
const MAX_NAME_LENGTH = 300;
const MERGE_TIMEOUT_MS = 60_000;
/**
 * Maximum size of a file that is merged line by line, in bytes. Git holds three versions with an entry for each line: short lines take
 * sixty times their size.
 */
const MAX_MERGED_FILE = 8 * 1024 * 1024;
/** Maximum number of files changed by both branches whose sizes are compared with it; the memory limit covers the rest. */
const MAX_SIZED_FILES = 10_000;
/** Part of `GIT_MEMORY` for a merge: any member can start several at once. */
const MERGE_MEMORY = 0.5;
/** Modes and hashes of a file in both branches and in their ancestor. One that a branch lacks there may have been renamed. */
const COMBINED_DIFF_LINE =
  /^::(?:100\d{3}|000000) (?:100\d{3}|000000) \d{6} ([0-9a-f]{40}) ([0-9a-f]{40}) ([0-9a-f]{40}) /;

/** A merge of one commit into another. */
export interface Merge {
  repositoryId: number;
  userId: number;
  base: string;
  branch: string;
  author: GitIdentity;
  message: string;
}

/** Creates merge commits as `git merge` does, without a working tree. */
@Injectable()
export class MergeCommitsService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly reader: GitReaderService,
    private readonly attributes: GitAttributesService,
  ) {}

  /**
   * Creates a commit with both heads as its parents, to which no ref points yet.
   * @returns undefined when the base already contains the branch
   * @throws ConflictError naming the files when the branches cannot be merged, or only by a git with more memory
   */
  async make(merge: Merge): Promise<string | undefined> {
    try {
      return await this.makeWithinLimits(merge);
    } catch (error) {
      throw failure(error as Error);
    }
  }

  private async makeWithinLimits(merge: Merge): Promise<string | undefined> {
    const { repositoryId, userId, base, branch } = merge;
    const repository = await this.store.open(repositoryId);
    const options = { repository, userId, timeoutMs: MERGE_TIMEOUT_MS };
    const ancestor = await this.git.text(['merge-base', base, branch], { ...options, okCodes: [1] });
    if (ancestor === branch) return undefined;
    if (ancestor === '')
      throw ConflictError.of('statusId', 'The branches cannot be merged: they have no commit in common.');
    await this.requireMergeableFiles(merge, ancestor);
    const started = Date.now();
    const tree = await this.mergeTrees(merge, options);
    const commit = await this.git.text(['commit-tree', tree, '-p', base, '-p', branch, '-F', '-'], {
      ...options,
      input: merge.message,
      env: {
        GIT_AUTHOR_NAME: merge.author.name,
        GIT_AUTHOR_EMAIL: merge.author.email,
        GIT_COMMITTER_NAME: merge.author.name,
        GIT_COMMITTER_EMAIL: merge.author.email,
      },
    });
    await syncObjects(repository, started);
    return commit;
  }

  /** Files above a size are not merged line by line. @throws ConflictError naming them when both branches have changed them */
  private async requireMergeableFiles(
    { repositoryId, userId, base, branch }: Merge,
    ancestor: string,
  ): Promise<void> {
    const reading = { repositoryId, userId };
    const large = await this.findLargeFiles(reading, [ancestor, base, branch]);
    if (large.length === 0) return;
    // Where one branch has only renamed a file, the content of the other one is taken.
    const refused = new Set(large.map(({ path }) => path));
    if (large.some(({ isDeleted }) => isDeleted)) {
      await this.removeRenamed(reading, { from: ancestor, to: base }, refused);
      await this.removeRenamed(reading, { from: ancestor, to: branch }, refused);
    }
    if (refused.size === 0) return;
    const paths = [...refused].slice(0, MAX_NAMED_FILES);
    throw unmergeableError(
      `both change files larger than ${MAX_MERGED_FILE / 1024 ** 2} MiB: ${listOf(paths, refused.size)}`,
    );
  }

  /** Finds large files that differ from the ancestor in both branches, also where a branch has deleted or renamed them. */
  private async findLargeFiles(
    reading: GitReading,
    commits: readonly [ancestor: string, base: string, branch: string],
  ): Promise<{ path: string; isDeleted: boolean }[]> {
    const args = ['diff-tree', '--stdin', '-c', '-r', '-z', '--raw', '--no-abbrev', '--no-commit-id'];
    // As if the ancestor merged both: the files that differ from each of them.
    const question = { input: `${commits.join(' ')}\n`, maxBytes: MAX_PATH_BYTES };
    const files: { path: string; isDeleted: boolean; hashes: string[] }[] = [];
    let versions: string | undefined;
    for await (const { text } of this.reader.fields(reading, args, question)) {
      if (versions === undefined) {
        versions = text;
        continue;
      }
      const [, ours, theirs, original] = COMBINED_DIFF_LINE.exec(versions) ?? [];
      versions = undefined;
      if (ours === theirs) continue;
      const hashes = [ours, theirs, original].filter((hash) => hash !== undefined && hash !== NO_HASH);
      files.push({
        path: text,
        isDeleted: ours === NO_HASH || theirs === NO_HASH,
        hashes: hashes as string[],
      });
      if (files.length === MAX_SIZED_FILES) break;
    }
    if (files.length === 0) return [];
    const input = files.flatMap((file) => file.hashes).join('\n');
    const sizes = await this.reader.text(reading, ['cat-file', '--batch-check=%(objectsize)'], { input });
    const next = sizes.split('\n').values();
    return files.filter(
      (file) => Math.max(...file.hashes.map(() => Number(next.next().value))) > MAX_MERGED_FILE,
    );
  }

  /** Removes the old paths of files that were renamed and not changed. Git compares only their hashes. */
  private async removeRenamed(
    reading: GitReading,
    { from, to }: GitRange,
    paths: Set<string>,
  ): Promise<void> {
    const args = ['diff-tree', '-r', '-z', '-M100%', '--diff-filter=R', '--name-status', from, to];
    let index = 0;
    for await (const { text } of this.reader.fields(reading, args, { maxBytes: MAX_PATH_BYTES })) {
      // Each file has a status, an old path and a new path.
      if (index++ % 3 === 1) paths.delete(text);
    }
  }

  /** Creates the tree of the merge. Conflicting files are counted as git lists them, because there may be any number of them. */
  private async mergeTrees(
    merge: Merge,
    options: { repository: string; userId: number; timeoutMs: number },
  ): Promise<string> {
    // As in a working tree, the attributes are those of the base.
    return this.attributes.withFiles(merge, merge.base, (workTree) =>
      this.mergeTreesIn(workTree, merge, options),
    );
  }

  private async mergeTreesIn(
    workTree: string | undefined,
    { base, branch }: Merge,
    options: { repository: string; userId: number; timeoutMs: number },
  ): Promise<string> {
    const args = ['merge-tree', '--write-tree', '--name-only', '-z', '--no-messages', base, branch];
    const child = await this.git.start(args, {
      ...options,
      workTree,
      env: LIMITED_MEMORY,
      memoryShare: MERGE_MEMORY,
    });
    const list = new FirstNames();
    child.stdout.on('data', (chunk: Buffer) => list.add(chunk));
    child.stdin.end();
    const exit = await child.exited;
    if (exit.code === 1) throw conflictOf(list.names, list.count);
    if (exit.code === 0) return list.tree;
    throw toGitError(args, exit);
  }
}

/** Converts the error of a git process that was killed, or exceeded its limits, to one that is not a bug. */
function failure(error: Error): Error {
  if (error instanceof TooLargeToCompareError) return mergeTooExpensiveError();
  if (!(error instanceof GitError)) return error;
  if (error.isOverLimit) return mergeTooExpensiveError();
  return error.code === null ? new ServiceUnavailableError(error, 'The merge has taken too long.') : error;
}

const unmergeableError = (reason: string): ConflictError =>
  ConflictError.of(
    'statusId',
    `The branches cannot be merged on the server: ${reason}. Merge them in a clone, and push the result.`,
  );

const mergeTooExpensiveError = (): ConflictError =>
  unmergeableError('the merge needs too much memory or time');

/** Parses a NUL-terminated list of a tree and file names: keeps the first names, and counts all. */
class FirstNames {
  tree = '';
  readonly names: string[] = [];
  count = 0;
  private isTree = true;
  private readonly fields = new FieldSplitter(MAX_PATH_BYTES);

  add(chunk: Buffer): void {
    for (const { text } of this.fields.add(chunk)) this.addEntry(text);
  }

  private addEntry(entry: string): void {
    if (this.isTree) {
      this.tree = entry;
      this.isTree = false;
    } else if (entry !== '') {
      this.count++;
      if (this.names.length < MAX_NAMED_FILES) this.names.push(entry);
    }
  }
}

/**
 * Returns the error about a merge with conflicting changes.
 * @param names the first conflicting files
 * @param count number of all conflicting files
 */
export function conflictOf(names: readonly string[], count: number): ConflictError {
  const files =
    count === 0 ? '' : ` in ${count === 1 ? 'a file' : `${count} files`}: ${listOf(names, count)}`;
  return ConflictError.of('statusId', `The branches cannot be merged: they conflict${files}.`);
}

/** Returns a list such as `"a", "b" and 7 more`. */
function listOf(names: readonly string[], count: number): string {
  const shown = names.map((name) =>
    JSON.stringify(name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name),
  );
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  return shown.join(', ') + more;
}
