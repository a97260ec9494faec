import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { ProjectDto } from '../../projects/dto/project.dto';
import { AgentDto, AgentProperty } from '../../users/dto/agent.dto';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { ACTIVITY_TYPES, ActivityType } from '../activity-type';

/** An activity in a project. */
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
      '1 issue created, 2 issue updated, 3 issue commented, 4 issue deleted, 5 wiki page created, 6 wiki page updated, 7 wiki page deleted, 8 shared file added, 9 shared file updated, 10 shared file deleted, 12 git pushed, 13 git repository created, 15 user joined, 16 user left, 17 notification added, 18 pull request created, 19 pull request updated, 20 pull request commented, 22 version created, 23 version updated, 24 version deleted, 25 team joined, 26 team left, 34 status deleted, 36 document created, 37 document deleted, 38 document title updated, 39 document updated, 40 document commented, 41 document comment updated, 42 document comment deleted, 43 reply to a document comment created, 44 reply updated, 45 reply deleted, 46 file added to a document. Other types are never recorded.',
    example: ActivityType.IssueDeleted,
  })
  type: ActivityType;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'The subject of the activity, as of that time. The fields depend on the type, and are the same as in webhooks.',
    example: { id: 2, key_id: 2 },
  })
  content: object;

  @ApiProperty({
    type: 'array',
    maxItems: 0,
    items: { type: 'object' },
    description: 'Always empty: activities do not include the notified users.',
    example: [],
  })
  notifications: never[];

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @AgentProperty()
  agent?: AgentDto;

  @TimestampProperty()
  created: string;
}
