import { ApiProperty } from '@nestjs/swagger';
import { NotifiedUsersField } from '../../notifications/dto/notified-users-field';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { AgentDto, AgentProperty } from '../../users/dto/agent.dto';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { DocumentCommentContentField } from './document-content-field';
import { UidField } from './document-id-field';
import { StatusIdProperty, UID_EXAMPLE, UidProperty } from './document.dto';

/** The id of the comment on the demo project's document. */
const COMMENT_UID_EXAMPLE = '019a8f2f6c0070008000000000000002';

/** The common fields of comments on documents and replies to them. */
class DocumentCommentBaseDto {
  @UidProperty({ example: COMMENT_UID_EXAMPLE })
  id: string;

  @UidProperty({ example: UID_EXAMPLE })
  documentId: string;

  @ApiProperty({
    description: "The content, as JSON of the editor's document (ProseMirror).",
    example: '{"type":"doc","content":[{"type":"paragraph"}]}',
  })
  content: string;

  @ApiProperty({ description: 'The content, without formatting.', example: 'Why not on Tuesdays?' })
  plain: string;

  @IdProperty({ example: 1 })
  createdUserId: number;

  @TimestampProperty()
  created: string;

  @IdProperty({ example: 1 })
  updatedUserId: number;

  @TimestampProperty()
  updated: string;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @AgentProperty()
  agent?: AgentDto;
}

/** A reply to a comment on a document. */
export class DocumentCommentReplyDto extends DocumentCommentBaseDto {
  @UidProperty({ description: 'The parent comment.', example: COMMENT_UID_EXAMPLE })
  commentId: string;
}

/** A comment on a document. */
export class DocumentCommentDto extends DocumentCommentBaseDto {
  @StatusIdProperty('Always 0.', 0)
  statusId: number;

  @ApiProperty({ description: 'Always `comment`.', example: 'comment' })
  commentType: string;

  @ApiProperty({ type: [DocumentCommentReplyDto], description: 'Oldest first.', example: [] })
  replies: DocumentCommentReplyDto[];
}

/** Body of a request that adds a comment on a document. */
export class AddDocumentCommentDto {
  @DocumentCommentContentField()
  content: string;

  @UidField({
    description:
      'The comment to reply to; omitted for a comment that is not a reply. It cannot itself be a reply.',
    optional: true,
    example: COMMENT_UID_EXAMPLE,
  })
  commentId?: string;

  @NotifiedUsersField()
  notifiedUserId: number[] = [];
}

/** Body of a request that updates a comment on a document. */
export class UpdateDocumentCommentDto {
  @DocumentCommentContentField()
  content: string;
}
