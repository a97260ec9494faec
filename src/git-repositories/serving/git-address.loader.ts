import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../../access/access';
import { type Caller } from '../../access/caller';
import { GitRepositoryLoader, type GitRepositoryResource } from '../git-repository.loader';

/** Finds the repository of `/git/{projectKey}/{repository}.git`; `.git` is optional. */
@Injectable()
export class GitAddressLoader implements ResourceLoader<GitRepositoryResource> {
  constructor(private readonly repositories: GitRepositoryLoader) {}

  load({ projectKey, repository }: PathParameters, caller: Caller): Promise<GitRepositoryResource> {
    return this.repositories.load(
      { projectIdOrKey: projectKey, repoIdOrName: repository?.replace(/\.git$/, '') },
      caller,
    );
  }
}
