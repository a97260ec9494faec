import { Injectable } from '@nestjs/common';
import { TransactionsService } from '../database/transactions.service';
import { NoResourceError } from '../errors/domain-errors';
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
    private readonly refs: GitRefsService,
    private readonly heads: GitHeadService,
  ) {}

  /** @throws NoResourceError when the repository has been removed */
  async get(repositoryId: number): Promise<DefaultBranch> {
    const branch = await this.rows.findDefaultBranch(repositoryId);
    if (!branch) throw new NoResourceError('git repository');
    return branch;
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
