import { Injectable, Logger } from '@nestjs/common';
import { InvalidRequestError, type Problem } from '../../errors/domain-errors';
import { GitProgram, NOBODY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { BRANCHES, GitRefsService, isRefName } from '../../git-repositories/refs/git-refs.service';

/** The two branches of a pull request. */
export interface BranchPair {
  base: string;
  branch: string;
}

/** The commits at the heads of branches, by the names of the branches; one that does not exist has none. */
export type BranchHeads = ReadonlyMap<string, string>;

/** The head that a pull request has, or had last. */
export interface KeptHead {
  number: number;
  commit: string;
}

/** The branches of pull requests as git has them. */
@Injectable()
export class BranchHeadsService {
  private readonly logger = new Logger(BranchHeadsService.name);

  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
    private readonly refs: GitRefsService,
  ) {}

  /** Whether there is a git; without one, branches are only names. */
  isKnown(): Promise<boolean> {
    return this.git.isAvailable();
  }

  /** The heads of two branches in one look. @throws GitUnavailableError without git */
  async find(repositoryId: number, { base, branch }: BranchPair, userId: number): Promise<BranchHeads> {
    const names = [BRANCHES + base, BRANCHES + branch].filter(isRefName);
    if (names.length === 0) return new Map();
    const refs = await this.refs.list(repositoryId, names, userId);
    // Git lists what is below a name as well.
    const heads = refs.filter(({ name }) => names.includes(name));
    return new Map(
      heads.flatMap(({ name, commit }) => (commit ? [[name.slice(BRANCHES.length), commit]] : [])),
    );
  }

  /**
   * The same for branches that have to exist.
   * @throws InvalidRequestError naming each branch that does not
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
   * Has `refs/pull/NUMBER/head` point to the heads of pull requests, so that their commits outlive their branches. A failure is
   * only logged: the next push sets them again.
   */
  async keep(repositoryId: number, heads: readonly KeptHead[]): Promise<void> {
    if (heads.length === 0) return;
    const updates = heads.map(({ number, commit }) => `update refs/pull/${number}/head\0${commit}\0\0`);
    try {
      const repository = await this.store.open(repositoryId);
      const input = ['start\0', ...updates, 'prepare\0', 'commit\0'].join('');
      await this.git.run(['update-ref', '-z', '--stdin'], { repository, userId: NOBODY, input });
    } catch (error) {
      this.logger.warn({ err: error, repositoryId }, 'The heads of pull requests could not be kept');
    }
  }

  private async hasBranches(repositoryId: number, userId: number): Promise<boolean> {
    const repository = await this.store.open(repositoryId);
    const args = ['for-each-ref', '--count=1', '--format=%(refname)', BRANCHES];
    return (await this.git.text(args, { repository, userId })) !== '';
  }
}
