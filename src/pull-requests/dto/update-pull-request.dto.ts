import { NumericEnumField, TextField } from '../../http/request/fields';
import { PartialDto } from '../../http/request/partial-dto';
import { PULL_REQUEST_STATUSES, type PullRequestStatus } from '../pull-request-status';
import { AddPullRequestDto } from './add-pull-request.dto';

/** Body of `updatePullRequest`. */
export class UpdatePullRequestDto extends PartialDto(AddPullRequestDto) {
  @NumericEnumField({
    description:
      '1 Open, 2 Closed, 3 Merged. A merged pull request remains merged, and a closed one must be reopened before it can be merged. With git, 3 merges.',
    codes: PULL_REQUEST_STATUSES,
    optional: true,
    example: 2,
  })
  statusId?: PullRequestStatus;

  @TextField({
    description: 'Text of the comment that records the change. If omitted or empty, the comment has no text.',
    max: 50_000,
    optional: true,
    example: 'Not needed any more.',
  })
  comment?: string;
}
