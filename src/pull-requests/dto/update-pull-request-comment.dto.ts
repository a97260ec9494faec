import { CommentContentField } from '../../comments/dto/comment-content';

/** Body of 4.2. */
export class UpdatePullRequestCommentDto {
  @CommentContentField()
  content: string;
}
