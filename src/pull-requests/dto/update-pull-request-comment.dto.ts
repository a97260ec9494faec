import { CommentContentField } from '../../comments/dto/comment-content';
import { NotifiedUsersField } from '../../notifications/dto/notified-users-field';

/** Body of a pull request comment's update (`docs/protocol.md#update-a-comment-of-a-pull-request`). */
export class UpdatePullRequestCommentDto {
  @CommentContentField()
  content: string;

  @NotifiedUsersField()
  notifiedUserId: number[] = [];
}
