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
    description: 'The newest commit that both contain; null when there is none.',
    example: EXAMPLE_PARENT,
  })
  mergeBase: string | null;

  @Count('How many commits `head` has that `base` has not.')
  ahead: number;

  @Count('How many commits `base` has that `head` has not.')
  behind: number;

  @ApiProperty({
    type: [CommitDto],
    description: 'The commits that only `head` has, the newest first, as `count` and `offset` ask for.',
  })
  commits: CommitDto[];

  @Count('How many files are different in `head` and the merge base.')
  changedFiles: number;

  @ApiProperty({
    type: [ChangedFileDto],
    description: 'As many of them as `count` asks for, from `fileOffset` on.',
  })
  files: ChangedFileDto[];

  @ApiProperty({ description: 'Whether there are more commits or files than are shown.', example: false })
  isTruncated: boolean;
}
