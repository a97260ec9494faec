import { Injectable } from '@nestjs/common';
import { GitStore } from '../../git/git-store';

/** Keeps `HEAD`, which determines the branch that a clone checks out, at the default branch of a repository's row. */
@Injectable()
export class GitHeadService {
  constructor(private readonly store: GitStore) {}

  /**
   * Returns the folder of a repository for use, and points `HEAD` at the default branch when the two differ.
   * @throws GitUnavailableError without git, NoResourceError when the repository has been removed
   */
  async open(repositoryId: number, defaultBranch: string): Promise<string> {
    const repository = await this.store.open(repositoryId);
    await this.store.pointHead(repository, defaultBranch);
    return repository;
  }
}
