import { CommentContentField } from '../../comments/dto/comment-content';

/** Body of an issue comment's update. */
export class UpdateIssueCommentDto {
  @CommentContentField()
  content: string;
}
