import { IdPageQuery } from '../../http/request/page-query';
import { SelectedFieldsField } from '../../http/request/selected-fields';
import { IssueCommentDto } from './issue-comment.dto';

/** Query of the comments on an issue. */
export class ListIssueCommentsQuery extends IdPageQuery {
  @SelectedFieldsField(IssueCommentDto)
  readonly fields?: string;
}
