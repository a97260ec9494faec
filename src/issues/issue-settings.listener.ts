import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type LinkedIssue } from '../activities/activity-content';
import { ProjectSettingsService } from '../project-settings/project-settings.service';
import { IssueRepository } from './data/issue.repository';

/** Maximum number of changed issues listed in the activity. */
const MAX_LINKED = 100;

/** Moves issues to the substitute of a deleted issue type or status. Changes nothing else and notifies no users. */
@Injectable()
export class IssueSettingsListener implements OnModuleInit {
  constructor(
    private readonly settings: ProjectSettingsService,
    private readonly issues: IssueRepository,
  ) {}

  onModuleInit(): void {
    this.settings.onReplaced({
      replaceIssueType: (manager, projectId, from, to) =>
        this.replace(manager, 'issueTypeId', { projectId, from, to }),
      replaceStatus: (manager, projectId, from, to) =>
        this.replace(manager, 'statusId', { projectId, from, to }),
    });
  }

  private async replace(
    manager: EntityManager,
    field: 'issueTypeId' | 'statusId',
    change: { projectId: number; from: number; to: number },
  ): Promise<LinkedIssue[]> {
    const issues = await this.issues.replaceSetting(manager, field, { ...change, limit: MAX_LINKED });
    return issues.map(({ id, keyId, summary }) => ({ id, key_id: keyId, title: summary, comment: null }));
  }
}
