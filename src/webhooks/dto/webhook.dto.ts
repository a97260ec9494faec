import { ApiProperty } from '@nestjs/swagger';
import { ActivityType } from '../../activities/activity-type';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

/** An address that a project's events are sent to (`docs/protocol.md#webhook`). */
export class WebhookDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'Chat' })
  name: string;

  @ApiProperty({ description: 'The description; empty if there is none.', example: 'Posts to #dev' })
  description: string;

  @ApiProperty({ example: 'https://chat.example.com/hooks/42' })
  hookUrl: string;

  @ApiProperty({
    description: 'Whether all events are sent, regardless of `activityTypeIds`.',
    example: false,
  })
  allEvent: boolean;

  @ApiProperty({
    type: [Number],
    items: { type: 'integer', format: 'int32' },
    example: [ActivityType.IssueCreated, ActivityType.IssueCommented],
  })
  activityTypeIds: number[];

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  updatedUser: UserDto;

  @TimestampProperty()
  updated: string;
}
