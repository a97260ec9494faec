import { Injectable } from '@nestjs/common';
import { InvalidRequestError, NoResourceError } from '../errors/domain-errors';
import { GitProgram } from '../git/git-program';
import { type DefaultBranch, GitRepositoryRepository } from './data/git-repository.repository';
import { GitRefsService } from './refs/git-refs.service';
import { BRANCHES } from './refs/ref-names';

/** Reads and validates the default branches of git repositories. */
@Injectable()
export class DefaultBranchService {
  constructor(
    private readonly rows: GitRepositoryRepository,
    private readonly git: GitProgram,
    private readonly refs: GitRefsService,
  ) {}

  /** @throws NoResourceError when the repository has been removed */
  async get(repositoryId: number): Promise<DefaultBranch> {
    const branch = await this.rows.findDefaultBranch(repositoryId);
    if (!branch) throw new NoResourceError('git repository');
    return branch;
  }

  /**
   * Requires that a branch can be the default branch. Any branch can, without git and in a repository without branches.
   * @throws InvalidRequestError when the repository has branches, but not this one
   */
  async require(repositoryId: number, branch: string, userId: number): Promise<void> {
    if (!(await this.git.isAvailable())) return;
    if ((await this.refs.findBranch(repositoryId, branch, userId)) !== undefined) return;
    if ((await this.refs.list(repositoryId, [BRANCHES], userId)).length === 0) return;
    throw InvalidRequestError.of('defaultBranch', 'The repository has no such branch.');
  }
}
