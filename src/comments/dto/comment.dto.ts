import { ApiProperty } from '@nestjs/swagger';
import { UserDto } from '../../users/dto/user.dto';
import { type ChangeLogEntry } from '../change-log';

/** The file that a change is about. */
export class AttachmentInfoDto {
  @ApiProperty({ type: 'integer', format: 'int64' })
  id: number;

  @ApiProperty()
  name: string;
}

/** The custom field that a change is about. */
export class AttributeInfoDto {
  @ApiProperty({ type: 'integer', format: 'int64' })
  id: number;

  @ApiProperty()
  typeId: string;
}

/** The notification that a change is about. */
export class NotificationInfoDto {
  @ApiProperty({ example: 'issue.comment' })
  type: string;
}

const nullable = (model: string): { nullable: true; allOf: { $ref: string }[] } => ({
  nullable: true,
  allOf: [{ $ref: `#/components/schemas/${model}` }],
});

/** One change that a comment tells of. */
export class ChangeLogEntryDto implements ChangeLogEntry {
  @ApiProperty({
    description: '`attachment` for a file, `notification` for a notified user.',
    example: 'attachment',
  })
  field: string;

  @ApiProperty({ description: 'Display text; empty when there is none.', example: 'build.log' })
  newValue: string;

  @ApiProperty({ description: 'Display text; empty when there is none.', example: '' })
  originalValue: string;

  @ApiProperty({ ...nullable('AttachmentInfoDto'), description: 'null unless the change is a file.' })
  attachmentInfo: AttachmentInfoDto | null;

  @ApiProperty({ ...nullable('AttributeInfoDto'), description: 'null unless the change is a custom field.' })
  attributeInfo: AttributeInfoDto | null;

  @ApiProperty({
    ...nullable('NotificationInfoDto'),
    description: 'null unless the change is a notification.',
  })
  notificationInfo: NotificationInfoDto | null;
}

/** A user's star. */
export class StarDto {
  @ApiProperty({ type: 'integer', format: 'int64', example: 10 })
  id: number;

  @ApiProperty({ description: 'Empty when the presenter wrote nothing.', example: '' })
  comment: string;

  @ApiProperty({ example: 'http://localhost:3000/view/DEMO-1#comment-3' })
  url: string;

  @ApiProperty({ example: '[DEMO-1] Welcome' })
  title: string;

  @ApiProperty({ type: UserDto })
  presenter: UserDto;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00Z' })
  created: string;
}

/** A user told of a comment. */
export class NotificationDto {
  @ApiProperty({ type: 'integer', format: 'int64', example: 22 })
  id: number;

  @ApiProperty({ description: 'The user has opened the notification.' })
  alreadyRead: boolean;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: '2 for an issue comment, 11 for a pull request comment.',
    example: 2,
  })
  reason: number;

  @ApiProperty({ type: UserDto })
  user: UserDto;

  @ApiProperty({ description: 'The user has opened what it is about.' })
  resourceAlreadyRead: boolean;
}

/** A comment on an issue or a pull request (spec, section 2.3). */
export class CommentDto {
  @ApiProperty({ type: 'integer', format: 'int64', example: 3 })
  id: number;

  @ApiProperty({ example: 'Works on the release branch, too.' })
  content: string;

  @ApiProperty({ type: [ChangeLogEntryDto] })
  changeLog: ChangeLogEntryDto[];

  @ApiProperty({ type: UserDto })
  createdUser: UserDto;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00Z' })
  created: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00Z' })
  updated: string;

  @ApiProperty({ type: [StarDto] })
  stars: StarDto[];

  @ApiProperty({ type: [NotificationDto] })
  notifications: NotificationDto[];
}
