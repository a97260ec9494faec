import { Injectable } from '@nestjs/common';
import { type PathParameters, type ResourceLoader } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/request/path-id';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../access/caller';
import { StatusRepository } from './data/status.repository';

/** Finds the status of `/projects/{projectIdOrKey}/statuses/{statusId}`; its `id` is the row id, not the wire id. */
@Injectable()
export class StatusLoader implements ResourceLoader<ProjectResource> {
  constructor(
    private readonly statuses: StatusRepository,
    private readonly projects: ProjectsService,
  ) {}

  async load(parameters: PathParameters, caller: Caller): Promise<ProjectResource> {
    const project = await this.projects.getVisible(caller, parameters.projectIdOrKey);
    const wireId = parseId(parameters.statusId);
    const id = wireId === undefined ? undefined : await this.statuses.findIdOfWireId(project.id, wireId);
    if (id === undefined) throw new NoResourceError('status');
    const { isProjectAdministrator = false } = project;
    return { id, projectId: project.id, isProjectAdministrator };
  }
}
