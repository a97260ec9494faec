import { CommentDto } from '../../comments/dto/comment.dto';
import { IdProperty } from '../../openapi/properties';

/** A comment on an issue, with the issue that it is on. The operations of the contract answer without these two fields. */
export class IssueCommentDto extends CommentDto {
  @IdProperty({ example: 1 })
  projectId: number;

  @IdProperty({ example: 1 })
  issueId: number;
}
