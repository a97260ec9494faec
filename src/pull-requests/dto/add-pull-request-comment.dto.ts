import { UploadsField } from '../../attachments/dto/uploads-field';
import { CommentContentField } from '../../comments/dto/comment-content';
import { NotifiedUsersField } from '../../notifications/dto/notified-users-field';

/** Body of `addPullRequestComment`. */
export class AddPullRequestCommentDto {
  @CommentContentField()
  content: string;

  @NotifiedUsersField()
  notifiedUserId: number[] = [];

  @UploadsField()
  attachmentId: number[] = [];
}
