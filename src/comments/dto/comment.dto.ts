import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, NullableObjectProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { type ChangeLogEntry } from '../change-log';

/** One change that a comment records. */
export class ChangeLogEntryDto implements ChangeLogEntry {
  @ApiProperty({
    description:
      'What has changed, such as `summary` or `status`; `attachment` for a file, `notification` for a notified user.',
    example: 'notification',
  })
  field: string;

  @ApiProperty({ description: 'Display text; empty when there is none.', example: 'Dana Developer' })
  newValue: string;

  @ApiProperty({ description: 'Display text; empty when there is none.', example: '' })
  originalValue: string;

  @NullableObjectProperty({
    description: 'null unless the change is a file.',
    properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string' } },
  })
  attachmentInfo: ChangeLogEntry['attachmentInfo'];

  @NullableObjectProperty({
    description: 'null unless the change is a custom field.',
    properties: { id: { type: 'integer', format: 'int64' }, typeId: { type: 'string' } },
  })
  attributeInfo: ChangeLogEntry['attributeInfo'];

  @NullableObjectProperty({
    description: 'null unless the change is a notification.',
    properties: { type: { type: 'string' } },
    example: { type: 'issue.comment' },
  })
  notificationInfo: ChangeLogEntry['notificationInfo'];
}

/** A user's star. */
export class StarDto {
  @IdProperty({ example: 10 })
  id: number;

  @ApiProperty({ description: 'Empty when the presenter wrote nothing.', example: '' })
  comment: string;

  @ApiProperty({ example: 'http://localhost:3000/view/DEMO-1#comment-3' })
  url: string;

  @ApiProperty({ example: '[DEMO-1] Welcome' })
  title: string;

  @ApiProperty({ type: UserDto })
  presenter: UserDto;

  @TimestampProperty()
  created: string;
}

/** A user who is notified of a comment. */
export class NotificationDto {
  @IdProperty({ example: 22 })
  id: number;

  @ApiProperty({
    description: 'The user has seen it: it has been marked as read, alone or with all.',
    example: false,
  })
  alreadyRead: boolean;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description:
      'Of an issue: 1 assigned, 2 commented, 4 updated. Of a pull request: 10 assigned, 11 commented, 13 updated.',
    example: 2,
  })
  reason: number;

  @ApiProperty({ type: UserDto })
  user: UserDto;

  @ApiProperty({
    description: 'The user has opened what it is about: it has been marked as read alone.',
    example: false,
  })
  resourceAlreadyRead: boolean;
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

  @TimestampProperty()
  created: string;

  @TimestampProperty()
  updated: string;

  @ApiProperty({ type: [StarDto], example: [] })
  stars: StarDto[];

  @ApiProperty({ type: [NotificationDto] })
  notifications: NotificationDto[];
}
