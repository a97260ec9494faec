import { ApiProperty } from '@nestjs/swagger';
import { ActivityType } from '../../activities/activity-type';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

/** Whether deliveries are sent to a webhook, and why not. Not part of the family's protocol. */
export class WebhookHealthDto {
  @ApiProperty({
    description: 'Whether deliveries are sent. A disabled webhook keeps them until it is enabled.',
    example: true,
  })
  enabled: boolean;

  @ApiProperty({
    format: 'date-time',
    nullable: true,
    type: String,
    description:
      'End of the pause after several consecutive failures; null if the webhook is not paused. Then one attempt is made.',
    example: null,
  })
  pausedUntil: string | null;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'Number of failures since the last success.',
    example: 0,
  })
  failures: number;

  @ApiProperty({
    format: 'date-time',
    nullable: true,
    type: String,
    description: 'Time of the first of these failures; null without any.',
    example: null,
  })
  failingSince: string | null;

  @ApiProperty({
    description: 'Why the webhook is disabled, or the error of the last failure; empty for neither.',
    example: '',
  })
  reason: string;
}

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

  @ApiProperty({ type: WebhookHealthDto })
  health: WebhookHealthDto;
}
