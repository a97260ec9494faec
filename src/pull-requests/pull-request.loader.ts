import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { isNumeric, parseId } from '../http/request/path-id';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { type PullRequestPath, PullRequestRepository } from './data/pull-request.repository';

/** The pull request of a request's path. */
export interface PullRequestResource extends ProjectResource {
  threadId: number;
}

/** Finds the pull request of `/projects/…/git/repositories/…/pullRequests/{number}`. */
@Injectable()
export class PullRequestLoader implements ResourceLoader<PullRequestResource> {
  constructor(
    private readonly pullRequests: PullRequestRepository,
    private readonly projects: ProjectsService,
    private readonly repositories: GitRepositoriesService,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<PullRequestResource> {
    const path = parsePath(parameters);
    const pullRequest = path && (await this.pullRequests.findVisible(caller, path));
    return pullRequest ?? this.explainMissing(parameters, caller);
  }

  /** Throws the error for the part of the path that does not exist. */
  private async explainMissing(
    { projectIdOrKey, repoIdOrName }: PathParameters,
    caller: Caller,
  ): Promise<never> {
    const project = await this.projects.getVisible(caller, projectIdOrKey);
    await this.repositories.getInProject(project.id, repoIdOrName);
    throw new NoResourceError('pull request');
  }
}

/** Parses ids to numbers, and keeps names and keys as texts; returns undefined when a part is invalid. */
function parsePath({
  projectIdOrKey = '',
  repoIdOrName = '',
  number,
}: PathParameters): PullRequestPath | undefined {
  const project = parseIdOrName(projectIdOrKey);
  const repository = parseIdOrName(repoIdOrName);
  const parsedNumber = parseId(number);
  if (project === undefined || repository === undefined || parsedNumber === undefined) return undefined;
  return { project, repository, number: parsedNumber };
}

const parseIdOrName = (text: string): number | string | undefined => (isNumeric(text) ? parseId(text) : text);
