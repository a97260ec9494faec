import { UploadsField } from '../../attachments/dto/uploads-field';
import { CommentContentField } from '../../comments/dto/comment-content';
import { NotifiedUsersField } from '../../notifications/dto/notified-users-field';

/** Body of a new issue comment (`docs/protocol.md#add-a-comment-to-an-issue`). */
export class AddIssueCommentDto {
  @CommentContentField()
  content: string;

  @NotifiedUsersField()
  notifiedUserId: number[] = [];

  @UploadsField("The caller's uploads to attach to the issue.")
  attachmentId: number[] = [];
}
