import { CommentContentField } from '../../comments/dto/comment-content';

/** Body of a request that updates an issue comment. */
export class UpdateIssueCommentDto {
  @CommentContentField()
  content: string;
}
