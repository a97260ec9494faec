import { Injectable } from '@nestjs/common';
import { TransactionsService } from '../database/transactions.service';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { GitProgram } from '../git/git-program';
import { type DefaultBranch, GitRepositoryRepository } from './data/git-repository.repository';
import { type RefUpdate } from './entities/git-push.entity';
import { GitHeadService } from './refs/git-head.service';
import { BRANCHES, GitRefsService, NO_HASH } from './refs/git-refs.service';

/** The default branches of git repositories. */
@Injectable()
export class DefaultBranchService {
  constructor(
    private readonly rows: GitRepositoryRepository,
    private readonly transactions: TransactionsService,
    private readonly git: GitProgram,
    private readonly refs: GitRefsService,
    private readonly heads: GitHeadService,
  ) {}

  /** @throws NoResourceError when the repository has been removed */
  async get(repositoryId: number): Promise<DefaultBranch> {
    const branch = await this.rows.findDefaultBranch(repositoryId);
    if (!branch) throw new NoResourceError('git repository');
    return branch;
  }

  /**
   * Makes sure that a branch can be the default one. Without git, and in a repository without branches, any can.
   * @throws InvalidRequestError when the repository has others only
   */
  async require(repositoryId: number, branch: string): Promise<void> {
    if (!(await this.git.isAvailable())) return;
    if ((await this.refs.findBranch(repositoryId, branch)) !== undefined) return;
    if ((await this.refs.list(repositoryId, [BRANCHES])).length === 0) return;
    throw InvalidRequestError.of('defaultBranch', 'The repository has no such branch.');
  }

  /** Makes the only branch of a repository, if a push has just made it, the default one in place of a branch that never was. */
  async adopt(
    repositoryId: number,
    { defaultBranch }: DefaultBranch,
    updates: readonly RefUpdate[],
  ): Promise<void> {
    const isOther = ({ ref, oldHash }: RefUpdate): boolean =>
      ref.startsWith(BRANCHES) && ref !== BRANCHES + defaultBranch && oldHash === NO_HASH;
    if (!updates.some(isOther)) return;
    const [only, ...others] = await this.refs.list(repositoryId, [BRANCHES]);
    if (!only || others.length > 0 || only.name === BRANCHES + defaultBranch) return;
    const adopted = only.name.slice(BRANCHES.length);
    const isReplaced = await this.transactions.run((manager) =>
      this.rows.replaceDefaultBranch(manager, repositoryId, { from: defaultBranch, to: adopted }),
    );
    if (isReplaced) await this.heads.open(repositoryId, adopted);
  }
}
