import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { GitRepositoriesService } from './git-repositories.service';

/** The git repository of a request's path. */
export type GitRepositoryResource = ProjectResource;

/** Finds the repository of `/projects/{projectIdOrKey}/git/repositories/{repoIdOrName}`. */
@Injectable()
export class GitRepositoryLoader implements ResourceLoader<GitRepositoryResource> {
  constructor(
    private readonly projects: ProjectsService,
    private readonly repositories: GitRepositoriesService,
  ) {}

  async load(
    { projectIdOrKey, repoIdOrName }: PathParameters,
    caller: Caller,
  ): Promise<GitRepositoryResource> {
    const { id: projectId, isProjectAdministrator = false } = await this.projects.getVisible(
      caller,
      projectIdOrKey,
    );
    const { id } = await this.repositories.getInProject(projectId, repoIdOrName);
    return { id, projectId, isProjectAdministrator };
  }
}
