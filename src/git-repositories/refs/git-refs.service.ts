import { Injectable } from '@nestjs/common';
import { GitError, isNameConflict, RefNotUpdatedError } from '../../git/git-errors';
import { NOBODY } from '../../git/git-pools';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { syncRefs } from '../../git/sync-folders';
import { type RefUpdate } from '../entities/git-push.entity';
import { BRANCHES, isRefName, NO_HASH, TAGS } from './ref-names';
import { type GitRefState, readRefs, type RefReader, type RefStates, requireReadable } from './ref-states';

/** Reads and updates the branches and tags of repositories in git. */
@Injectable()
export class GitRefsService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /**
   * Returns all branches and tags in the order of their names, without damaged ones.
   * @throws GitUnavailableError without git, GitRefsDamagedError when none can be read
   */
  async list(
    repositoryId: number,
    prefixes: readonly string[] = [BRANCHES, TAGS],
    userId = NOBODY,
  ): Promise<GitRefState[]> {
    return requireReadable(await this.read(repositoryId, prefixes, { userId })).refs;
  }

  /** Does the same, and also names the damaged ones. @throws GitUnavailableError without git */
  async read(
    repositoryId: number,
    prefixes: readonly string[] = [BRANCHES, TAGS],
    reader: RefReader = { userId: NOBODY },
  ): Promise<RefStates> {
    return readRefs(this.git, await this.store.open(repositoryId), { prefixes, ...reader });
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
   * Updates a ref if it still has the expected hash. Must only be called between `PushesService.announce` and `record`, so that activities
   * follow.
   * @returns undefined on success, otherwise the error of git
   */
  async swap(
    repositoryId: number,
    { ref, oldHash, newHash }: RefUpdate,
    userId = NOBODY,
  ): Promise<GitError | undefined> {
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
   * Does the same, and also succeeds when the ref already has the new hash.
   * @returns whether the ref now has the new hash
   * @throws GitError when its name conflicts with that of another ref, RefNotUpdatedError when git fails for another reason
   */
  async compareAndSwap(repositoryId: number, update: RefUpdate, userId = NOBODY): Promise<boolean> {
    const { ref, oldHash, newHash } = update;
    const refusal = await this.swap(repositoryId, update, userId);
    if (!refusal) return true;
    const hash = (await this.find(repositoryId, ref, userId)) ?? NO_HASH;
    if (hash === oldHash) throw isNameConflict(refusal) ? refusal : new RefNotUpdatedError(refusal);
    if (hash !== newHash) return false;
    // Another process may not have synced it yet.
    await syncRefs(this.store.folderOf(repositoryId), [ref]);
    return true;
  }
}
