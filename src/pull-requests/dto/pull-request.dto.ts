import { ApiProperty } from '@nestjs/swagger';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { IssueDto } from '../../issues/dto/issue.dto';
import { IdProperty, NullableProperty, TimestampProperty } from '../../openapi/properties';
import { StarDto } from '../../stars/dto/star.dto';
import { UserDto } from '../../users/dto/user.dto';
import { PULL_REQUEST_STATUSES } from '../pull-request-status';

/** The status of a pull request. */
export class PullRequestStatusDto {
  @ApiProperty({ type: 'integer', format: 'int32', enum: [...PULL_REQUEST_STATUSES], example: 1 })
  id: number;

  @ApiProperty({ description: '`Open`, `Closed` or `Merged`.', example: 'Open' })
  name: string;
}

const CommitProperty = (description: string, example: string | null): PropertyDecorator =>
  ApiProperty({
    type: String,
    nullable: true,
    description: `${description} null if git was not available to determine it.`,
    example,
  });

/** A pull request of a git repository. */
export class PullRequestDto {
  @IdProperty({ example: 1 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @IdProperty({ example: 1 })
  repositoryId: number;

  @IdProperty({ description: 'The number in the repository, starting at 1.', example: 1 })
  number: number;

  @ApiProperty({ example: 'Say hello' })
  summary: string;

  @ApiProperty({ description: 'The description; empty if there is none.', example: 'Adds a greeting.' })
  description: string;

  @ApiProperty({ description: 'The branch to merge into.', example: 'main' })
  base: string;

  @ApiProperty({ description: 'The branch to merge.', example: 'hello' })
  branch: string;

  @ApiProperty({ type: PullRequestStatusDto })
  status: PullRequestStatusDto;

  @NullableProperty(() => UserDto, { description: 'The assignee.', example: null })
  assignee: UserDto | null;

  @NullableProperty(() => IssueDto, { description: 'The related issue.', example: null })
  issue: IssueDto | null;

  @CommitProperty(
    'The head of `base`: the current one while the pull request is open, afterwards the last one before it was merged or closed.',
    'c28ed131af893313e034196e3326589bf0ca5164',
  )
  baseCommit: string | null;

  @CommitProperty(
    'The head of `branch`, at the same point in time as `baseCommit`.',
    '954e5cf20aee13747ef4a7c77561e5efd154e732',
  )
  branchCommit: string | null;

  @CommitProperty('The commit that brought all of `branch` into `base`; null unless merged.', null)
  mergeCommit: string | null;

  @TimestampProperty({ nullable: true, description: 'Time of closing; null unless closed.', example: null })
  closeAt: string | null;

  @TimestampProperty({ nullable: true, description: 'Time of merging; null unless merged.', example: null })
  mergeAt: string | null;

  @ApiProperty({ type: UserDto })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({ type: UserDto })
  updatedUser: UserDto;

  @TimestampProperty()
  updated: string;

  @ApiProperty({ type: [AttachedFileDto], example: [] })
  attachments: AttachedFileDto[];

  @ApiProperty({ type: [StarDto], example: [] })
  stars: StarDto[];
}
