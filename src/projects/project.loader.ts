import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { type Caller } from '../access/caller';
import { ProjectsService, type VisibleProject } from './projects.service';

/** Finds the project of `/projects/{projectIdOrKey}/…`. */
@Injectable()
export class ProjectLoader implements ResourceLoader<VisibleProject> {
  constructor(private readonly projects: ProjectsService) {}

  load({ projectIdOrKey }: PathParameters, caller: Caller): Promise<VisibleProject> {
    return this.projects.getVisible(caller, projectIdOrKey);
  }
}
