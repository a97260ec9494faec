import { NumericEnumField, TextField } from '../../http/request/fields';
import { PartialDto } from '../../http/request/partial-dto';
import { PULL_REQUEST_STATUSES, type PullRequestStatus } from '../pull-request-status';
import { AddPullRequestDto } from './add-pull-request.dto';

/** Body of `updatePullRequest`. */
export class UpdatePullRequestDto extends PartialDto(AddPullRequestDto) {
  @NumericEnumField({
    description:
      '1 Open, 2 Closed, 3 Merged. What is merged stays so, and what is closed has to be opened first. With git, 3 merges.',
    codes: PULL_REQUEST_STATUSES,
    optional: true,
    example: 2,
  })
  statusId?: PullRequestStatus;

  @TextField({
    description:
      'Text of the comment that records the change. If it is left out or empty, the comment has no text.',
    max: 50_000,
    optional: true,
    example: 'Not needed any more.',
  })
  comment?: string;
}
