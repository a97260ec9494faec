import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IssueTypesService } from '../project-settings/issue-types.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { CustomFieldIssueTypeRepository } from './data/custom-field-issue-type.repository';
import { CustomFieldRepository } from './data/custom-field.repository';

/** Keeps custom fields in step with what they belong to: removed issue types, and deleted projects. */
@Injectable()
export class CustomFieldSettingsListener implements OnModuleInit {
  constructor(
    private readonly issueTypes: IssueTypesService,
    private readonly removal: ProjectRemovalService,
    private readonly fields: CustomFieldRepository,
    private readonly applicable: CustomFieldIssueTypeRepository,
  ) {}

  onModuleInit(): void {
    // The issues of a removed type get the substitute, and keep their custom fields with it.
    this.issueTypes.onReplaced(async (manager, _projectId, from, to) => {
      await this.applicable.replaceIssueType(manager, from, to);
      return [];
    });
    // All at once: the project's counter limits their number, and issues with their values have gone before.
    this.removal.register('settings', (manager, projectId) =>
      this.fields.removeOfProject(manager, projectId),
    );
  }
}
