import { Injectable, type OnModuleInit } from '@nestjs/common';
import { affectedRows } from '../database/statements';
import { ProjectRemovalService } from '../projects/project-removal.service';

/** Removes the settings of deleted projects. */
@Injectable()
export class SettingsRemovalService implements OnModuleInit {
  constructor(private readonly removal: ProjectRemovalService) {}

  onModuleInit(): void {
    for (const table of ['version', 'category', 'issue_type', 'issue_status']) {
      // At once: there are no more than the project's counters let be.
      this.removal.register('settings', (manager, projectId) =>
        affectedRows(manager, `DELETE FROM ${table} WHERE project_id = ?`, [projectId]),
      );
    }
  }
}
