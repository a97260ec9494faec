import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { ProjectDto } from '../../projects/dto/project.dto';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { ACTIVITY_TYPES, ActivityType } from '../activity-type';

/** Something that happened in a project. */
export class ActivityDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ type: ProjectDto })
  project: ProjectDto;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    enum: ACTIVITY_TYPES,
    description:
      '1 issue created, 2 issue updated, 3 issue commented, 4 issue deleted, 5 wiki page created, 6 wiki page updated, 7 wiki page deleted, 13 git repository created, 15 user joined, 16 user left, 17 notification added, 18 pull request created, 19 pull request updated, 20 pull request commented, 22 version created, 23 version updated, 24 version deleted, 34 status deleted. The others are not written.',
    example: ActivityType.IssueDeleted,
  })
  type: ActivityType;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'What it is about, as it was then; its fields go by the type, and are those that webhooks are sent.',
    example: { id: 2, key_id: 2 },
  })
  content: object;

  @ApiProperty({
    type: 'array',
    maxItems: 0,
    items: { type: 'object' },
    description: 'Always empty: activities do not show who was notified.',
    example: [],
  })
  notifications: never[];

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;
}
