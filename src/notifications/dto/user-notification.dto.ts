import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, NullableProperty, TimestampProperty } from '../../openapi/properties';
import { ProjectDto } from '../../projects/dto/project.dto';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

/** A notification of the caller. */
export class UserNotificationDto {
  @IdProperty({ example: 22 })
  id: number;

  @ApiProperty({
    description: 'The caller has seen it: it has been marked as read, alone or with all.',
    example: false,
  })
  alreadyRead: boolean;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description:
      '1 issue assigned, 2 issue commented, 3 issue created, 4 issue updated, 5 file attached, 6 added to the project, 9 other, 10 pull request assigned, 11 pull request commented, 12 pull request added, 13 pull request updated, 14 document commented, 15 comment on a document answered, 17 mentioned in a document.',
    example: 2,
  })
  reason: number;

  @ApiProperty({
    description: 'The caller has opened what it is about: it has been marked as read alone.',
    example: false,
  })
  resourceAlreadyRead: boolean;

  @NullableProperty(() => ProjectDto, { description: 'Where it comes from.' })
  project: ProjectDto | null;

  @NullableProperty('IssueDto', { description: 'The issue that it is about.' })
  issue: object | null;

  @NullableProperty('IssueCommentDto', { description: 'The comment on the issue.' })
  comment: object | null;

  @NullableProperty('PullRequestDto', {
    description: 'The pull request that it is about.',
    example: null,
  })
  pullRequest: object | null;

  @NullableProperty('CommentDto', { description: 'The comment on the pull request.', example: null })
  pullRequestComment: object | null;

  @NullableProperty('DocumentDto', { description: 'The document that it is about.', example: null })
  document: object | null;

  @NullableProperty('DocumentCommentDto', {
    description: 'The comment on the document, without the answers to it.',
    example: null,
  })
  documentComment: object | null;

  @NullableProperty('DocumentCommentReplyDto', {
    description: 'The answer to a comment on the document.',
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
