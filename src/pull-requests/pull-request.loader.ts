import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { GitRepositoriesService } from '../git-repositories/git-repositories.service';
import { joinRepository } from '../git-repositories/join-repository';
import { isNumeric, parseId } from '../http/request/path-id';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectsService } from '../projects/projects.service';
import { isVisible, VISIBILITY_COLUMNS, type VisibilityRow } from '../projects/visibility';
import { type Caller } from '../access/caller';

/** A pull request that the path names. */
export interface PullRequestResource extends ProjectResource {
  threadId: number;
}

interface PullRequestRow extends VisibilityRow {
  id: number;
  projectId: number;
  threadId: number;
  projectKey: string;
  repositoryName: string;
}

/** Finds the pull request of `/projects/…/git/repositories/…/pullRequests/{number}`. */
@Injectable()
export class PullRequestLoader implements ResourceLoader<PullRequestResource> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly projects: ProjectsService,
    private readonly repositories: GitRepositoriesService,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<PullRequestResource> {
    const row = await this.find(parameters, caller);
    if (!row || !isVisible(row, caller)) return this.explainMissing(parameters, caller);
    return {
      id: row.id,
      projectId: row.projectId,
      threadId: row.threadId,
      isProjectAdministrator: Boolean(row.projectAdministrator),
    };
  }

  /** The whole path in one query. */
  private async find(
    { projectIdOrKey = '', repoIdOrName = '', number }: PathParameters,
    caller: Caller,
  ): Promise<PullRequestRow | undefined> {
    const [projectColumn, project] = isNumeric(projectIdOrKey)
      ? (['p.id', parseId(projectIdOrKey)] as const)
      : (['p.project_key', projectIdOrKey] as const);
    const [repositoryColumn, repository] = isNumeric(repoIdOrName)
      ? (['r.id', parseId(repoIdOrName)] as const)
      : (['r.name', repoIdOrName] as const);
    const parsedNumber = parseId(number);
    if (project === undefined || repository === undefined || parsedNumber === undefined) return undefined;
    const [row] = await this.dataSource.query<PullRequestRow[]>(
      `SELECT q.id AS id, q.project_id AS projectId, q.thread_id AS threadId, p.project_key AS projectKey,
              r.name AS repositoryName, ${VISIBILITY_COLUMNS}
         FROM pull_request q ${joinRepository('q.repository_id')}
        WHERE ${projectColumn} = ? AND ${repositoryColumn} = ? AND q.number = ?`,
      [caller.id, project, repository, parsedNumber],
    );
    // Databases compare more loosely: some take spaces at the end, or what follows a NUL, for nothing.
    const isExact =
      row &&
      (projectColumn === 'p.id' || row.projectKey === project) &&
      (repositoryColumn === 'r.id' || row.repositoryName === repository);
    return isExact ? row : undefined;
  }

  /** Says which part of the path names nothing, step by step. */
  private async explainMissing(
    { projectIdOrKey, repoIdOrName }: PathParameters,
    caller: Caller,
  ): Promise<never> {
    const project = await this.projects.getVisible(caller, projectIdOrKey);
    await this.repositories.getInProject(project.id, repoIdOrName);
    throw new NoResourceError('pull request');
  }
}
