import { ApiProperty } from '@nestjs/swagger';
import { TimestampProperty } from '../../../openapi/properties';
import { ChangedFileDto } from './changed-file.dto';
import { EXAMPLE_PARENT, HashProperty } from './hash-property';

/** The person named in a commit or a tag. It is not verified, and need not be a user. */
export class CommitPersonDto {
  @ApiProperty({ example: 'Dana Developer' })
  name: string;

  @ApiProperty({ example: 'dana@example.com' })
  mailAddress: string;

  @TimestampProperty({
    description: 'The time; 1970-01-01T00:00:00Z if it is missing or cannot be represented.',
  })
  time: string;
}

/** A commit of a git repository. */
export class CommitDto {
  @HashProperty()
  hash: string;

  @ApiProperty({
    type: [String],
    description: 'Hashes of the parents: several for a merge, none for an initial commit.',
    example: [EXAMPLE_PARENT],
  })
  parents: string[];

  @ApiProperty({ type: CommitPersonDto })
  author: CommitPersonDto;

  @ApiProperty({ type: CommitPersonDto })
  committer: CommitPersonDto;

  @ApiProperty({ description: 'The message, truncated to 8 KiB.', example: 'DEMO-1 Add the search' })
  message: string;

  @ApiProperty({ description: 'Whether the message is truncated.', example: false })
  isMessageTruncated: boolean;
}

/** A commit with the files that it changes. */
export class CommitWithFilesDto extends CommitDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'Number of changed files, compared with the first parent.',
    example: 1,
  })
  changedFiles: number;

  @ApiProperty({ type: [ChangedFileDto], description: 'The changed files, paged by `count` and `offset`.' })
  files: ChangedFileDto[];
}
