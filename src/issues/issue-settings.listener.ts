import { Injectable, type OnModuleInit } from '@nestjs/common';
import { affectedRows } from '../database/statements';
import { ProjectSettingsService } from '../project-settings/project-settings.service';

/** Gives issues the substitute of an issue type or status that is removed; nothing else about them changes. */
@Injectable()
export class IssueSettingsListener implements OnModuleInit {
  constructor(private readonly settings: ProjectSettingsService) {}

  onModuleInit(): void {
    this.settings.onReplaced({
      replaceIssueType: (manager, _projectId, from, to) =>
        affectedRows(manager, 'UPDATE issue SET issue_type_id = ? WHERE issue_type_id = ?', [to, from]),
      replaceStatus: (manager, _projectId, from, to) =>
        affectedRows(manager, 'UPDATE issue SET status_id = ? WHERE status_id = ?', [to, from]),
    });
  }
}
