import { Injectable, Logger } from '@nestjs/common';
import { InvalidRequestError, type Problem } from '../../errors/domain-errors';
import { FATAL, GitError } from '../../git/git-errors';
import { NOBODY } from '../../git/git-pools';
import { GitProgram } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { syncRefs } from '../../git/sync-folders';
import { GitRefsService } from '../../git-repositories/refs/git-refs.service';
import { BRANCHES, isRefName, PULLS } from '../../git-repositories/refs/ref-names';

/** The two branches of a pull request. */
export interface BranchPair {
  base: string;
  branch: string;
}

/** The head commits of branches, by branch name; without those that do not exist. */
export type BranchHeads = ReadonlyMap<string, string>;

/** The current or last head of a pull request. */
export interface PullRequestHead {
  number: number;
  commit: string;
}

/** Maximum number of heads of a push that may fail before the rest is left to the next one: the cause is then not a damaged ref. */
const MAX_FAILURES = 20;
const NOT_KEPT = 'The heads of pull requests could not be stored';

const refOf = ({ number }: PullRequestHead): string => `${PULLS}${number}/head`;

/** Reads and keeps the heads of pull requests in git. */
@Injectable()
export class BranchHeadsService {
  private readonly logger = new Logger(BranchHeadsService.name);

  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly refs: GitRefsService,
  ) {}

  /** Returns whether git is available; without it, branches are only names. */
  isKnown(): Promise<boolean> {
    return this.git.isAvailable();
  }

  /** Returns the heads of two branches with one call of git. @throws GitUnavailableError without git */
  async find(repositoryId: number, { base, branch }: BranchPair, userId: number): Promise<BranchHeads> {
    const names = [BRANCHES + base, BRANCHES + branch].filter(isRefName);
    if (names.length === 0) return new Map();
    const refs = await this.refs.list(repositoryId, names, userId);
    // Git also lists refs below a name.
    const heads = refs.filter(({ name }) => names.includes(name));
    return new Map(
      heads.flatMap(({ name, commit }) => (commit ? [[name.slice(BRANCHES.length), commit]] : [])),
    );
  }

  /**
   * Returns the heads of two branches that must exist.
   * @throws InvalidRequestError naming each branch that does not exist
   */
  async require(repositoryId: number, pair: BranchPair, userId: number): Promise<BranchHeads> {
    const heads = await this.find(repositoryId, pair, userId);
    const missing = (['base', 'branch'] as const).filter((field) => !heads.has(pair[field]));
    if (missing.length === 0) return heads;
    const isEmpty = missing.length === 2 && !(await this.hasBranches(repositoryId, userId));
    throw new InvalidRequestError(
      missing.map((field): Problem => {
        const reason = isEmpty
          ? 'nothing has been pushed to the repository yet'
          : 'the repository has no such branch';
        return { message: `There is no branch ${JSON.stringify(pair[field])}: ${reason}.`, moreInfo: field };
      }),
    );
  }

  /**
   * Points `refs/pull/NUMBER/head` at the heads of pull requests, so that their commits outlive their branches. A failure is
   * only logged, because the next push sets the refs again. A damaged ref does not stop the others.
   */
  async keep(repositoryId: number, heads: readonly PullRequestHead[]): Promise<void> {
    if (heads.length === 0) return;
    try {
      const repository = await this.store.open(repositoryId);
      const failures: GitError[] = [];
      for (let left = heads; left.length > 0 && failures.length < MAX_FAILURES;) {
        const { kept, failure } = await this.keepUntilFailure(repository, left);
        if (failure) failures.push(failure);
        left = left.slice(kept + 1);
      }
      await syncRefs(repository, heads.map(refOf));
      const [err] = failures;
      if (err) this.logger.warn({ err, repositoryId, failed: failures.length }, NOT_KEPT);
    } catch (error) {
      this.logger.warn({ err: error, repositoryId }, NOT_KEPT);
    }
  }

  /** Returns how many of the heads have been kept before one could not be. */
  private async keepUntilFailure(
    repository: string,
    heads: readonly PullRequestHead[],
  ): Promise<{ kept: number; failure?: GitError }> {
    const args = ['update-ref', '-z', '--stdin'];
    // Git changes all refs of a transaction or none, and exits at the first transaction that fails.
    const input = heads
      .map((head) => `start\0update ${refOf(head)}\0${head.commit}\0\0prepare\0commit\0`)
      .join('');
    const options = { repository, userId: NOBODY, input, okCodes: [FATAL] };
    const { stdout, code, stderr } = await this.git.run(args, options);
    if (code === 0) return { kept: heads.length };
    const kept = stdout
      .toString()
      .split('\n')
      .filter((line) => line === 'commit: ok').length;
    return { kept, failure: new GitError(args, code, stderr) };
  }

  private async hasBranches(repositoryId: number, userId: number): Promise<boolean> {
    const repository = await this.store.open(repositoryId);
    const args = ['for-each-ref', '--count=1', '--format=%(refname)', BRANCHES];
    return (await this.git.text(args, { repository, userId })) !== '';
  }
}
