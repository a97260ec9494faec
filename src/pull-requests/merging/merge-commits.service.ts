import { Injectable } from '@nestjs/common';
import { ConflictError, ServiceUnavailableError } from '../../errors/domain-errors';
import { GitError } from '../../git/git-errors';
import { GitProgram, type GitRunOptions, LIMITED_MEMORY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { GitAttributesService } from '../../git-repositories/contents/git-attributes.service';
import { syncObjects, syncRefs } from '../../git/sync-folders';
import { type GitIdentity } from './git-identity';

/** Maximum number of files in the error about a conflict. */
const MAX_NAMED_FILES = 20;
/** Maximum length of a file's name in that error. */
const MAX_NAME_LENGTH = 300;
const MERGE_TIMEOUT_MS = 60_000;

/** A merge of one commit into another. */
export interface Merge {
  repositoryId: number;
  userId: number;
  base: string;
  branch: string;
  author: GitIdentity;
  message: string;
}

/** The ref update that makes a merge commit the head of the base. */
export interface MergeSwap {
  repositoryId: number;
  userId: number;
  ref: string;
  oldHash: string;
  newHash: string;
}

/** Creates merge commits as `git merge` does, without a working tree. */
@Injectable()
export class MergeCommitsService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly attributes: GitAttributesService,
  ) {}

  /**
   * Points the base at a merge commit if its head has not changed. Two merges in the same second may create the same commit: the
   * second swap is rejected like any other.
   * @returns undefined on success, otherwise the error of git
   */
  async swap({ repositoryId, userId, ref, oldHash, newHash }: MergeSwap): Promise<GitError | undefined> {
    const repository = await this.store.open(repositoryId);
    const input = `start\0update ${ref}\0${newHash}\0${oldHash}\0prepare\0commit\0`;
    try {
      await this.git.run(['update-ref', '-z', '--stdin'], { repository, userId, input });
    } catch (error) {
      if (error instanceof GitError) return error;
      throw error;
    }
    await syncRefs(repository, [ref]);
    return undefined;
  }

  /**
   * Creates a commit with both heads as its parents, to which no ref points yet.
   * @returns undefined when the base already contains the branch
   * @throws ConflictError naming the files when the branches cannot be merged
   */
  async make(merge: Merge): Promise<string | undefined> {
    const { repositoryId, userId, base, branch } = merge;
    const repository = await this.store.open(repositoryId);
    const options = { repository, userId, timeoutMs: MERGE_TIMEOUT_MS };
    const ancestor = await this.text(['merge-base', base, branch], { ...options, okCodes: [1] });
    if (ancestor === branch) return undefined;
    if (ancestor === '')
      throw ConflictError.of('statusId', 'The branches cannot be merged: they have no commit in common.');
    const started = Date.now();
    const tree = await this.mergeTrees(merge, options);
    const commit = await this.text(['commit-tree', tree, '-p', base, '-p', branch, '-F', '-'], {
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
    const child = await this.git.start(args, { ...options, workTree, env: LIMITED_MEMORY });
    const list = new FirstNames();
    child.stdout.on('data', (chunk: Buffer) => list.add(chunk));
    child.stdin.end();
    const { code, stderr } = await child.exited;
    if (code === 1) throw conflictOf(list.names, list.count);
    if (code === 0) return list.tree;
    throw failure(new GitError(args, code, stderr));
  }

  private async text(args: readonly string[], options: GitRunOptions): Promise<string> {
    try {
      return await this.git.text(args, options);
    } catch (error) {
      throw error instanceof GitError ? failure(error) : error;
    }
  }
}

/** Converts the error of a git process that was killed to one that is not a bug. */
const failure = (error: GitError): Error =>
  error.code === null ? new ServiceUnavailableError(error, 'The merge has taken too long.') : error;

/** Parses a NUL-terminated list of a tree and file names: keeps the first names, and counts all. */
class FirstNames {
  tree = '';
  readonly names: string[] = [];
  count = 0;
  private isTree = true;
  private rest: Buffer = Buffer.alloc(0);

  add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      this.addEntry(Buffer.concat([this.rest, chunk.subarray(start, end)]).toString('utf8'));
      this.rest = Buffer.alloc(0);
      start = end + 1;
    }
    this.rest = Buffer.concat([this.rest, chunk.subarray(start)]);
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
  const shown = names.map((name) =>
    JSON.stringify(name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name),
  );
  const more = count > shown.length ? ` and ${count - shown.length} more` : '';
  const files =
    count === 0 ? '' : ` in ${count === 1 ? 'a file' : `${count} files`}: ${shown.join(', ')}${more}`;
  return ConflictError.of('statusId', `The branches cannot be merged: they conflict${files}.`);
}
