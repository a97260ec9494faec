import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type AccessSubject, type PathParameters, type ResourceResolver } from '../access/access';
import { NoResourceError } from '../errors/domain-errors';
import { parseId } from '../http/path-id';
import { ProjectsService } from '../projects/projects.service';
import { type Caller } from '../users/caller';

/** A webhook that the path names. */
export interface WebhookSubject extends AccessSubject {
  id: number;
  projectId: number;
}

/** Finds the webhook of `/projects/{projectIdOrKey}/webhooks/{webhookId}/…`. */
@Injectable()
export class WebhookResolver implements ResourceResolver<WebhookSubject> {
  constructor(
    private readonly dataSource: DataSource,
    private readonly projects: ProjectsService,
  ) {}

  async resolve(parameters: PathParameters, caller: Caller): Promise<WebhookSubject> {
    const project = await this.projects.getVisible(caller, parameters.projectIdOrKey);
    const id = parseId(parameters.webhookId);
    const rows =
      id === undefined
        ? []
        : await this.dataSource.query<unknown[]>('SELECT id FROM webhook WHERE id = ? AND project_id = ?', [
            id,
            project.id,
          ]);
    if (id === undefined || rows.length === 0) throw new NoResourceError('webhook');
    return { id, projectId: project.id, isProjectAdministrator: project.isProjectAdministrator };
  }
}
