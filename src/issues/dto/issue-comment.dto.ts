import { CommentDto } from '../../comments/dto/comment.dto';
import { IdProperty } from '../../openapi/properties';

/** A comment with its issue. The operations of the contract return comments without these two fields. */
export class IssueCommentDto extends CommentDto {
  @IdProperty({ example: 1 })
  projectId: number;

  @IdProperty({ example: 1 })
  issueId: number;
}
