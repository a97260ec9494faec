import { Injectable } from '@nestjs/common';
import { GitError } from '../../git/git-errors';
import { GitProgram, NOBODY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';

/** In place of a hash where there is no object. */
export const NO_HASH = '0'.repeat(40);
export const BRANCHES = 'refs/heads/';
export const TAGS = 'refs/tags/';

/** A branch or a tag. */
export interface GitRefState {
  /** The whole name, such as `refs/heads/main`. */
  name: string;
  /** What it points to. */
  hash: string;
  /** The commit that it leads to; null when it leads to something else. */
  commit: string | null;
}

/** The branches and tags of repositories as git has them at the moment. */
@Injectable()
export class GitRefsService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /** All branches and tags in the order of their names. @throws GitUnavailableError without git */
  async list(
    repositoryId: number,
    prefixes: readonly string[] = [BRANCHES, TAGS],
    userId = NOBODY,
  ): Promise<GitRefState[]> {
    const repository = await this.store.open(repositoryId);
    const format = '%(refname)%00%(objectname)%00%(objecttype)%00%(*objectname)%00%(*objecttype)';
    const text = await this.git.text(['for-each-ref', `--format=${format}`, ...prefixes], {
      repository,
      userId,
    });
    return text === '' ? [] : text.split('\n').map(toRef);
  }

  /** What a ref points to; undefined when there is none. @throws GitUnavailableError without git */
  async find(repositoryId: number, ref: string, userId = NOBODY): Promise<string | undefined> {
    const repository = await this.store.open(repositoryId);
    // Elsewhere, git takes `refs/heads/x-g1234567` for a commit, and looks for refs below other names.
    const args = ['for-each-ref', '--count=1', '--format=%(objectname) %(refname)', ref];
    const [hash, name] = (await this.git.text(args, { repository, userId })).split(' ');
    return name === ref ? hash : undefined;
  }

  /** The head of a branch; undefined when there is no such branch. @throws GitUnavailableError without git */
  async findBranch(repositoryId: number, branch: string, userId = NOBODY): Promise<string | undefined> {
    return isRefName(BRANCHES + branch) ? this.find(repositoryId, BRANCHES + branch, userId) : undefined;
  }

  /**
   * Has a ref point elsewhere if it is still as expected. Only pushes do this, so that activities follow.
   * @returns whether it was as expected
   */
  async compareAndSwap(
    repositoryId: number,
    { ref, oldHash, newHash }: { ref: string; oldHash: string; newHash: string },
  ): Promise<boolean> {
    const repository = await this.store.open(repositoryId);
    const input = `start\0update ${ref}\0${newHash}\0${oldHash}\0prepare\0commit\0`;
    try {
      await this.git.run(['update-ref', '-z', '--stdin'], { repository, userId: NOBODY, input });
      return true;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      const hash = (await this.find(repositoryId, ref)) ?? NO_HASH;
      if (hash === oldHash) throw error;
      return hash === newHash;
    }
  }
}

/** Whether git accepts a name for a ref: `git help check-ref-format`, and no more bytes than a file name has. */
export const isRefName = (name: string): boolean =>
  /^refs\/[^/]/.test(name) &&
  Buffer.byteLength(name) <= 255 &&
  // eslint-disable-next-line no-control-regex -- refs have none
  !/[\u0000-\u0020\u007f~^:?*[\\\ufffd]|\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[./]$/.test(name);

function toRef(line: string): GitRefState {
  const [name = '', hash = '', type, peeled = '', peeledType] = line.split('\0');
  const commit = type === 'commit' ? hash : peeledType === 'commit' ? peeled : null;
  return { name, hash, commit };
}
