import { ApiProperty } from '@nestjs/swagger';
import { NotificationDto } from '../../notifications/dto/notification.dto';
import { IdProperty, NullableObjectProperty, TimestampProperty } from '../../openapi/properties';
import { StarDto } from '../../stars/dto/star.dto';
import { AgentDto, AgentProperty } from '../../users/dto/agent.dto';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { type ChangeLogEntry } from '../change-log';

/** A change recorded in a comment. */
export class ChangeLogEntryDto implements ChangeLogEntry {
  @ApiProperty({
    description:
      'The changed field, such as `summary` or `status`; `attachment` for a file, `notification` for a notified user.',
    example: 'notification',
  })
  field: string;

  @ApiProperty({
    description: 'Display text of the value; empty if there is none.',
    example: 'Dana Developer',
  })
  newValue: string;

  @ApiProperty({ description: 'Display text of the value; empty if there is none.', example: '' })
  originalValue: string;

  @NullableObjectProperty({
    description: 'The file; null for other changes.',
    properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string' } },
  })
  attachmentInfo: ChangeLogEntry['attachmentInfo'];

  @NullableObjectProperty({
    description: 'The custom field; null for other changes.',
    properties: { id: { type: 'integer', format: 'int64' }, typeId: { type: 'string' } },
  })
  attributeInfo: ChangeLogEntry['attributeInfo'];

  @NullableObjectProperty({
    description: 'The notification; null for other changes.',
    properties: { type: { type: 'string' } },
    example: { type: 'issue.comment' },
  })
  notificationInfo: ChangeLogEntry['notificationInfo'];
}

/** A comment on an issue or a pull request (`docs/protocol.md#comment`). */
export class CommentDto {
  @IdProperty({ example: 3 })
  id: number;

  @ApiProperty({ example: 'Works on the release branch, too.' })
  content: string;

  @ApiProperty({ type: [ChangeLogEntryDto] })
  changeLog: ChangeLogEntryDto[];

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @AgentProperty()
  agent?: AgentDto;

  @TimestampProperty()
  created: string;

  @TimestampProperty()
  updated: string;

  @ApiProperty({ type: [StarDto], example: [] })
  stars: StarDto[];

  @ApiProperty({ type: [NotificationDto] })
  notifications: NotificationDto[];
}
