import { IdListField, NumericEnumListField } from '../../http/request/fields';
import { OffsetPageQuery } from '../../http/request/page-query';
import { PULL_REQUEST_STATUSES } from '../pull-request-status';

/** Query of `listPullRequests` and `countPullRequests`. */
export class ListPullRequestsQuery extends OffsetPageQuery {
  @NumericEnumListField({
    description: 'Only pull requests with one of these statuses.',
    codes: PULL_REQUEST_STATUSES,
    optional: true,
    example: [1],
  })
  readonly statusId?: number[];

  @IdListField({ description: 'Only pull requests assigned to one of these users.', optional: true })
  readonly assigneeId?: number[];

  @IdListField({ description: 'Only pull requests related to one of these issues.', optional: true })
  readonly issueId?: number[];

  @IdListField({ description: 'Only pull requests added by one of these users.', optional: true })
  readonly createdUserId?: number[];
}

/** The filter of a query for pull requests, without its page. */
export type PullRequestFilter = Omit<ListPullRequestsQuery, keyof OffsetPageQuery>;
