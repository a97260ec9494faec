import { UploadsField } from '../../attachments/dto/uploads-field';
import {
  DateField,
  DecimalField,
  IdField,
  IdListField,
  NumericEnumField,
  TextField,
} from '../../http/request/fields';
import { type NamedValues } from '../../http/request/named-values';
import { NotifiedUsersField } from '../../notifications/dto/notified-users-field';
import { CustomFieldValuesField } from './custom-field-values-field';

const MAX_HOURS = 999_999;

/** The fields of an issue, without its project. */
export class IssueFieldsDto {
  @TextField({
    description: 'The summary.',
    min: 1,
    max: 255,
    trim: true,
    example: 'The list ends one too early',
  })
  summary: string;

  @TextField({
    description: 'The description.',
    max: 100_000,
    optional: true,
    example: 'Open the list and page to its end.',
  })
  description: string = '';

  @IdField({ description: 'The issue type, one of the project.', example: 1 })
  issueTypeId: number;

  @NumericEnumField({ description: '2 High, 3 Normal, 4 Low.', codes: [2, 3, 4], example: 3 })
  priorityId: number;

  @IdListField({ description: 'Categories of the project.', optional: true, example: [] })
  categoryId: number[] = [];

  @IdListField({
    description: 'Versions of the project that the issue affects.',
    optional: true,
    example: [],
  })
  versionId: number[] = [];

  @IdListField({
    description: 'Milestones: versions of the project for which the issue is planned.',
    optional: true,
    example: [],
  })
  milestoneId: number[] = [];

  @IdField({
    description: 'The assignee: a member of the project, or an Administrator.',
    optional: true,
    nullable: true,
    example: 2,
  })
  assigneeId?: number | null;

  @IdField({
    description: 'The parent issue, in the same project. It cannot itself have a parent.',
    optional: true,
    nullable: true,
  })
  parentIssueId?: number | null;

  @DateField({
    description: 'The start date.',
    optional: true,
    nullable: true,
    example: '2026-02-02',
  })
  startDate?: string | null;

  @DateField({
    description: 'The due date, not before `startDate`.',
    optional: true,
    nullable: true,
    example: '2026-02-06',
  })
  dueDate?: string | null;

  @DecimalField({
    description: 'Estimated hours.',
    min: 0,
    max: MAX_HOURS,
    scale: 2,
    optional: true,
    nullable: true,
    example: 2.5,
  })
  estimatedHours?: number | null;

  @DecimalField({
    description: 'Actual hours.',
    min: 0,
    max: MAX_HOURS,
    scale: 2,
    optional: true,
    nullable: true,
    example: 0.25,
  })
  actualHours?: number | null;

  @NotifiedUsersField()
  notifiedUserId: number[] = [];

  @UploadsField()
  attachmentId: number[] = [];
}

/** Body of `POST /issues`. */
export class AddIssueDto extends IssueFieldsDto {
  @IdField({ description: 'The project of the issue.', example: 1 })
  projectId: number;

  @CustomFieldValuesField()
  readonly customFields: NamedValues = new Map();
}
