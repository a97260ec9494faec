import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { CategoryRepository } from './data/category.repository';
import { IssueTypeRepository } from './data/issue-type.repository';
import { StatusRepository } from './data/status.repository';
import { VersionRepository } from './data/version.repository';

/** Removes the settings of deleted projects. */
@Injectable()
export class SettingsRemovalService implements OnModuleInit {
  constructor(
    private readonly removal: ProjectRemovalService,
    private readonly versions: VersionRepository,
    private readonly categories: CategoryRepository,
    private readonly issueTypes: IssueTypeRepository,
    private readonly statuses: StatusRepository,
  ) {}

  onModuleInit(): void {
    for (const settings of [this.versions, this.categories, this.issueTypes, this.statuses]) {
      // In one statement: the project's counters limit their number.
      this.removal.register('settings', (manager, projectId) => settings.removeOfProject(manager, projectId));
    }
  }
}
