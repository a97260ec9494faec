import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, NullableProperty, TimestampProperty } from '../../openapi/properties';
import { ProjectDto } from '../../projects/dto/project.dto';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

/** A notification of the caller. */
export class UserNotificationDto {
  @IdProperty({ example: 22 })
  id: number;

  @ApiProperty({
    description:
      'Whether the caller has seen it: it has been marked as read, individually or with all others.',
    example: false,
  })
  alreadyRead: boolean;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description:
      '1 issue assigned, 2 issue commented, 3 issue created, 4 issue updated, 5 file attached, 6 added to the project, 9 other, 10 pull request assigned, 11 pull request commented, 12 pull request added, 13 pull request updated, 14 document commented, 15 reply to a document comment, 17 mentioned in a document.',
    example: 2,
  })
  reason: number;

  @ApiProperty({
    description: 'Whether the caller has opened its subject: it has been marked as read individually.',
    example: false,
  })
  resourceAlreadyRead: boolean;

  @NullableProperty(() => ProjectDto, { description: 'The project of its subject.' })
  project: ProjectDto | null;

  @NullableProperty('IssueDto', { description: 'The issue, if the notification is about one.' })
  issue: object | null;

  @NullableProperty('IssueCommentDto', { description: 'The comment on the issue.' })
  comment: object | null;

  @NullableProperty('PullRequestDto', {
    description: 'The pull request, if the notification is about one.',
    example: null,
  })
  pullRequest: object | null;

  @NullableProperty('CommentDto', { description: 'The comment on the pull request.', example: null })
  pullRequestComment: object | null;

  @NullableProperty('DocumentDto', {
    description: 'The document, if the notification is about one.',
    example: null,
  })
  document: object | null;

  @NullableProperty('DocumentCommentDto', {
    description: 'The comment on the document, without its replies.',
    example: null,
  })
  documentComment: object | null;

  @NullableProperty('DocumentCommentReplyDto', {
    description: 'The reply to a comment on the document.',
    example: null,
  })
  documentCommentReply: object | null;

  @ApiProperty({
    type: UserDto,
    description: 'The user who caused it; the caller if no user did.',
    example: ADMINISTRATOR_EXAMPLE,
  })
  sender: UserDto;

  @TimestampProperty()
  created: string;
}
