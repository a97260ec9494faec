import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessSubject, type PathParameters, type ResourceResolver } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { parseId } from '../http/path-id';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../users/caller';

/** A pull request that the path names. */
export interface PullRequestSubject extends AccessSubject {
  id: number;
  threadId: number;
}

/** Finds the pull request of `/projects/…/git/repositories/…/pullRequests/{number}`. */
@Injectable()
export class PullRequestResolver implements ResourceResolver<PullRequestSubject> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly projects: ProjectsService,
    private readonly repositories: GitRepositoriesService,
  ) {}

  async resolve(parameters: PathParameters, caller: Caller): Promise<PullRequestSubject> {
    const project = await this.projects.getVisible(caller, parameters.projectIdOrKey);
    const repository = await this.repositories.getInProject(project.id, parameters.repoIdOrName);
    const number = parseId(parameters.number);
    const [row] =
      number === undefined
        ? []
        : await this.dataSource.query<{ id: number; threadId: number }[]>(
            'SELECT id, thread_id AS threadId FROM pull_request WHERE repository_id = ? AND number = ?',
            [repository.id, number],
          );
    if (!row) throw new NoResourceError('pull request');
    return { ...row, isProjectAdministrator: project.isProjectAdministrator };
  }
}
