import { Injectable } from '@nestjs/common';
import { GitError } from '../../git/git-errors';
import { GitProgram, NOBODY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';

/** The hash that stands for no object. */
export const NO_HASH = '0'.repeat(40);
export const BRANCHES = 'refs/heads/';
export const TAGS = 'refs/tags/';

/** A branch or a tag. */
export interface GitRefState {
  /** The full name, such as `refs/heads/main`. */
  name: string;
  /** The hash that it points to. */
  hash: string;
  /** The commit that it resolves to; null when it resolves to another object. */
  commit: string | null;
}

/** Reads and updates the branches and tags of repositories in git. */
@Injectable()
export class GitRefsService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /** Returns all branches and tags in the order of their names. @throws GitUnavailableError without git */
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

  /** Returns the hash of a ref; undefined when it does not exist. @throws GitUnavailableError without git */
  async find(repositoryId: number, ref: string, userId = NOBODY): Promise<string | undefined> {
    const repository = await this.store.open(repositoryId);
    // Other commands interpret `refs/heads/x-g1234567` as a commit, and also look for the ref under other prefixes.
    const args = ['for-each-ref', '--count=1', '--format=%(objectname) %(refname)', ref];
    const [hash, name] = (await this.git.text(args, { repository, userId })).split(' ');
    return name === ref ? hash : undefined;
  }

  /** Returns the head of a branch; undefined when it does not exist. @throws GitUnavailableError without git */
  async findBranch(repositoryId: number, branch: string, userId = NOBODY): Promise<string | undefined> {
    return isRefName(BRANCHES + branch) ? this.find(repositoryId, BRANCHES + branch, userId) : undefined;
  }

  /**
   * Updates a ref if it still has the expected hash. Must only be called by `PushesService`, so that activities follow.
   * @returns whether the ref now has the new hash
   */
  async compareAndSwap(
    repositoryId: number,
    { ref, oldHash, newHash }: { ref: string; oldHash: string; newHash: string },
    userId = NOBODY,
  ): Promise<boolean> {
    const repository = await this.store.open(repositoryId);
    const input = `start\0update ${ref}\0${newHash}\0${oldHash}\0prepare\0commit\0`;
    try {
      await this.git.run(['update-ref', '-z', '--stdin'], { repository, userId, input });
      return true;
    } catch (error) {
      if (!(error instanceof GitError)) throw error;
      const hash = (await this.find(repositoryId, ref, userId)) ?? NO_HASH;
      if (hash === oldHash) throw error;
      return hash === newHash;
    }
  }
}

/** Returns whether git accepts a name for a ref: see `git help check-ref-format`; at most as many bytes as a file name. */
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
