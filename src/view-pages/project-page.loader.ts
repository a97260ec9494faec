import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';

/**
 * Finds the project of `/projects/{projectKey}`. The parameter has another name than in the API, because the names distinguish the route from
 * that of the API, which has the base path.
 */
@Injectable()
export class ProjectPageLoader implements ResourceLoader<VisibleProject> {
  constructor(private readonly projects: ProjectLoader) {}

  load({ projectKey }: PathParameters, caller: Caller): Promise<VisibleProject> {
    return this.projects.load({ projectIdOrKey: projectKey }, caller);
  }
}
