import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IssueTypesService } from '../project-settings/issue-types.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { CustomFieldIssueTypeRepository } from './data/custom-field-issue-type.repository';
import { CustomFieldRepository } from './data/custom-field.repository';

/** Updates custom fields when an issue type is removed, and removes them with their project. */
@Injectable()
export class CustomFieldSettingsListener implements OnModuleInit {
  constructor(
    private readonly issueTypes: IssueTypesService,
    private readonly removal: ProjectRemovalService,
    private readonly fields: CustomFieldRepository,
    private readonly applicable: CustomFieldIssueTypeRepository,
  ) {}

  onModuleInit(): void {
    // The issues of a removed type get the substitute type, which keeps their custom fields applicable.
    this.issueTypes.onReplaced(async (manager, _projectId, from, to) => {
      await this.applicable.replaceIssueType(manager, from, to);
      return [];
    });
    // Removes all at once: the project's counter limits their number, and the issues with their values have already been removed.
    this.removal.register('settings', (manager, projectId) =>
      this.fields.removeOfProject(manager, projectId),
    );
  }
}
