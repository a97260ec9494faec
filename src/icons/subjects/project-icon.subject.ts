import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ProjectRemovalService } from '../../projects/project-removal.service';
import { ProjectsService } from '../../projects/projects.service';
import { type IconSubject, IconsService } from '../icons.service';

/** The icons of projects, removed together with the projects. */
@Injectable()
export class ProjectIconSubject implements IconSubject, OnModuleInit {
  readonly type = 'project';

  constructor(
    private readonly projects: ProjectsService,
    private readonly removal: ProjectRemovalService,
    private readonly icons: IconsService,
  ) {}

  onModuleInit(): void {
    this.removal.register('settings', async (manager, projectId) =>
      (await this.icons.removeOf(manager, this.type, projectId)) ? 1 : 0,
    );
  }

  async nameOf(id: number): Promise<string> {
    return (await this.projects.get(id)).name;
  }

  lock(manager: EntityManager, id: number): Promise<unknown> {
    return this.projects.lock(manager, id);
  }
}
