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
    description: 'What it is about.',
    min: 1,
    max: 255,
    trim: true,
    example: 'The list ends one too early',
  })
  summary: string;

  @TextField({
    description: 'All there is to know of it.',
    max: 100_000,
    optional: true,
    example: 'Open the list and page to its end.',
  })
  description: string = '';

  @IdField({ description: 'Its type: one of the project.', example: 1 })
  issueTypeId: number;

  @NumericEnumField({ description: '2 High, 3 Normal, 4 Low.', codes: [2, 3, 4], example: 3 })
  priorityId: number;

  @IdListField({ description: 'Categories of the project.', optional: true, example: [] })
  categoryId: number[] = [];

  @IdListField({ description: 'Versions of the project that it is found in.', optional: true, example: [] })
  versionId: number[] = [];

  @IdListField({
    description: 'Versions of the project that it is to be done for.',
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
    description: 'An issue of the same project, which it is a part of. That issue is no part of another.',
    optional: true,
    nullable: true,
  })
  parentIssueId?: number | null;

  @DateField({
    description: 'When work on it begins.',
    optional: true,
    nullable: true,
    example: '2026-02-02',
  })
  startDate?: string | null;

  @DateField({
    description: 'When it is to be done; not before `startDate`.',
    optional: true,
    nullable: true,
    example: '2026-02-06',
  })
  dueDate?: string | null;

  @DecimalField({
    description: 'Hours that it is expected to take.',
    min: 0,
    max: MAX_HOURS,
    scale: 2,
    optional: true,
    nullable: true,
    example: 2.5,
  })
  estimatedHours?: number | null;

  @DecimalField({
    description: 'Hours that it took.',
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
  @IdField({ description: 'The project that it is in.', example: 1 })
  projectId: number;

  @CustomFieldValuesField()
  readonly customFields: NamedValues = new Map();
}
