import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceResolver } from '../access/access';
import { type Caller } from '../users/caller';
import { ProjectsService, type VisibleProject } from './projects.service';

/** Finds the project of `/projects/{projectIdOrKey}/…`. */
@Injectable()
export class ProjectResolver implements ResourceResolver<VisibleProject> {
  constructor(private readonly projects: ProjectsService) {}

  resolve({ projectIdOrKey }: PathParameters, caller: Caller): Promise<VisibleProject> {
    return this.projects.getVisible(caller, projectIdOrKey);
  }
}
