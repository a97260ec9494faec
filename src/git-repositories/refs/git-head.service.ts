import { Injectable } from '@nestjs/common';
import { GitProgram, NOBODY } from '../../git/git-program';
import { GitStore } from '../../git/git-store';
import { BRANCHES } from './git-refs.service';

/** Keeps `HEAD`, which determines the branch that a clone checks out, at the default branch of a repository's row. */
@Injectable()
export class GitHeadService {
  constructor(
    private readonly git: GitProgram,
    private readonly store: GitStore,
  ) {}

  /**
   * Returns the folder of a repository for use, and points `HEAD` at the default branch when the two differ.
   * @throws GitUnavailableError without git, NoResourceError when the repository has been removed
   */
  async open(repositoryId: number, defaultBranch: string): Promise<string> {
    const repository = await this.store.open(repositoryId);
    const head = await this.store.readFileOf(repository, 'HEAD');
    if (head !== `ref: ${BRANCHES}${defaultBranch}\n`)
      await this.git.run(['symbolic-ref', 'HEAD', BRANCHES + defaultBranch], { repository, userId: NOBODY });
    return repository;
  }
}
