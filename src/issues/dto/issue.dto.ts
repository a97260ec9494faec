import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { CustomFieldValueDto } from '../../custom-fields/dto/custom-field-value.dto';
import { IdProperty, NullableProperty, TimestampProperty } from '../../openapi/properties';
import { CategoryDto } from '../../project-settings/dto/category.dto';
import { IssueTypeDto } from '../../project-settings/dto/issue-type.dto';
import { PriorityDto } from '../../project-settings/dto/priority.dto';
import { ResolutionDto } from '../../project-settings/dto/resolution.dto';
import { StatusDto } from '../../project-settings/dto/status.dto';
import { VersionDto } from '../../project-settings/dto/version.dto';
import { SharedFileDto } from '../../shared-files/dto/shared-file.dto';
import { StarDto } from '../../stars/dto/star.dto';
import { UserDto } from '../../users/dto/user.dto';

const HoursProperty = (example: number): PropertyDecorator =>
  ApiProperty({ type: 'number', format: 'double', minimum: 0, nullable: true, example });

const DayProperty = (example: string): PropertyDecorator =>
  TimestampProperty({ description: 'The start of the day, in UTC.', nullable: true, example });

/** Number of an issue's children. */
export class ChildIssueSummaryDto {
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 0, example: 3 })
  total: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'Number of child issues that are Closed.',
    example: 1,
  })
  closed: number;
}

/** An issue of a project. */
export class IssueDto {
  @IdProperty({ example: 1 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ description: "The project's key and the issue's number.", example: 'DEMO-1' })
  issueKey: string;

  @IdProperty({ description: 'The number in the project.', example: 1 })
  keyId: number;

  @ApiProperty({ type: IssueTypeDto })
  issueType: IssueTypeDto;

  @ApiProperty({ example: 'Welcome' })
  summary: string;

  @ApiProperty({
    description: 'The description; empty if there is none.',
    example: 'Add a comment to this issue.',
  })
  description: string;

  @NullableProperty(() => ResolutionDto, { example: null })
  resolution: ResolutionDto | null;

  @ApiProperty({ type: PriorityDto })
  priority: PriorityDto;

  @ApiProperty({ type: StatusDto })
  status: StatusDto;

  @NullableProperty(() => UserDto, { description: 'The assignee.' })
  assignee: UserDto | null;

  @ApiProperty({ type: [CategoryDto] })
  category: CategoryDto[];

  @ApiProperty({ type: [VersionDto], description: 'The versions that the issue affects.' })
  versions: VersionDto[];

  @ApiProperty({ type: [VersionDto], description: 'The versions for which the issue is planned.' })
  milestone: VersionDto[];

  @DayProperty('2026-02-02T00:00:00Z')
  startDate: string | null;

  @DayProperty('2026-02-06T00:00:00Z')
  dueDate: string | null;

  @HoursProperty(2.5)
  estimatedHours: number | null;

  @HoursProperty(0.25)
  actualHours: number | null;

  @IdProperty({ description: 'The parent issue.', nullable: true, example: null })
  parentIssueId: number | null;

  @ApiProperty({ type: UserDto })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({ type: UserDto })
  updatedUser: UserDto;

  @TimestampProperty()
  updated: string;

  @ApiProperty({
    type: [CustomFieldValueDto],
    description: 'The custom fields of the issue type, in the order of the project.',
    example: [],
  })
  customFields: CustomFieldValueDto[];

  @ApiProperty({ type: [AttachedFileDto] })
  attachments: AttachedFileDto[];

  @ApiProperty({ type: [SharedFileDto], example: [] })
  sharedFiles: SharedFileDto[];

  @ApiProperty({ type: [StarDto], example: [] })
  stars: StarDto[];

  @ApiPropertyOptional({
    type: ChildIssueSummaryDto,
    description: 'Present if requested by `expand`.',
    example: { total: 1, closed: 0 },
  })
  childIssueSummary?: ChildIssueSummaryDto;
}
