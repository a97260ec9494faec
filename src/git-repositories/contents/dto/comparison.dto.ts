import { ApiProperty } from '@nestjs/swagger';
import { ChangedFileDto } from './changed-file.dto';
import { CommitDto } from './commit.dto';
import { EXAMPLE_PARENT, HashProperty } from './hash-property';

const Count = (description: string): PropertyDecorator =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description, example: 1 });

/** The commits and changes of one commit relative to another. */
export class ComparisonDto {
  @HashProperty({ description: 'The commit that `base` names.', example: EXAMPLE_PARENT })
  baseCommit: string;

  @HashProperty({ description: 'The commit that `head` names.' })
  headCommit: string;

  @HashProperty({
    nullable: true,
    description: 'The newest commit that both contain; null if there is none.',
    example: EXAMPLE_PARENT,
  })
  mergeBase: string | null;

  @Count('Number of commits in `head` that are not in `base`.')
  ahead: number;

  @Count('Number of commits in `base` that are not in `head`.')
  behind: number;

  @ApiProperty({
    type: [CommitDto],
    description: 'The commits that are only in `head`, newest first, paged by `count` and `offset`.',
  })
  commits: CommitDto[];

  @Count('Number of files that differ between `head` and the merge base.')
  changedFiles: number;

  @ApiProperty({
    type: [ChangedFileDto],
    description: 'The changed files, paged by `count` and `fileOffset`.',
  })
  files: ChangedFileDto[];

  @ApiProperty({ description: 'Whether there are more commits or files than returned.', example: false })
  isTruncated: boolean;
}
