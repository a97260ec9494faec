import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type LinkedIssue } from '../activities/activity-content';
import { CustomFieldsService } from '../custom-fields/custom-fields.service';
import { ProjectSettingsService } from '../project-settings/project-settings.service';
import { IssueCustomFieldRepository } from './data/issue-custom-field.repository';
import { IssueListsRepository } from './data/issue-lists.repository';
import { IssueRepository } from './data/issue.repository';

/** Maximum number of changed issues listed in the activity. */
const MAX_LINKED = 100;

/**
 * Moves issues to the substitute of a deleted issue type or status, and clears deleted categories, versions and custom fields in issues.
 * Changes nothing else and notifies no users.
 */
@Injectable()
export class IssueSettingsListener implements OnModuleInit {
  constructor(
    private readonly settings: ProjectSettingsService,
    private readonly customFields: CustomFieldsService,
    private readonly issues: IssueRepository,
    private readonly lists: IssueListsRepository,
    private readonly customValues: IssueCustomFieldRepository,
  ) {}

  onModuleInit(): void {
    this.settings.onRemoved({
      replaceIssueType: (manager, projectId, from, to) =>
        this.replace(manager, 'issueTypeId', { projectId, from, to }),
      replaceStatus: (manager, projectId, from, to) =>
        this.replace(manager, 'statusId', { projectId, from, to }),
      removeCategory: (manager, id) => this.lists.removeEntry(manager, ['categoryIds'], id),
      removeVersion: (manager, id) => this.lists.removeEntry(manager, ['versionIds', 'milestoneIds'], id),
    });
    this.customFields.onRemoved({
      removeValues: (manager, fieldId) => this.customValues.removeOfField(manager, fieldId),
      removeItems: (manager, itemIds) => this.customValues.removeItems(manager, itemIds),
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
