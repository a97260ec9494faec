import { UploadsField } from '../../attachments/dto/uploads-field';
import { CommentContentField } from '../../comments/dto/comment-content';
import { NotifiedUsersField } from '../../comments/dto/notified-users-field';

/** Body of 4.3. */
export class AddIssueCommentDto {
  @CommentContentField()
  content: string;

  @NotifiedUsersField()
  notifiedUserId: number[] = [];

  @UploadsField("The caller's uploads to attach to the issue.")
  attachmentId: number[] = [];
}
