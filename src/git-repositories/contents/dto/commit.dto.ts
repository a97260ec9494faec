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

  @TimestampProperty({ description: '1970-01-01T00:00:00Z where there is no time that can be shown.' })
  time: string;
}

/** A commit of a git repository. */
export class CommitDto {
  @HashProperty()
  hash: string;

  @ApiProperty({
    type: [String],
    description: 'Of a merge several; none of a first commit.',
    example: [EXAMPLE_PARENT],
  })
  parents: string[];

  @ApiProperty({ type: CommitPersonDto })
  author: CommitPersonDto;

  @ApiProperty({ type: CommitPersonDto })
  committer: CommitPersonDto;

  @ApiProperty({ description: 'At most 8 KiB of it.', example: 'DEMO-1 Add the search' })
  message: string;

  @ApiProperty({ description: 'Whether the message is longer than what is shown.', example: false })
  isMessageTruncated: boolean;
}

/** A commit with the files that it changes. */
export class CommitWithFilesDto extends CommitDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    description: 'How many files it changes, compared with its first parent.',
    example: 1,
  })
  changedFiles: number;

  @ApiProperty({ type: [ChangedFileDto], description: 'Those of them that `count` and `offset` ask for.' })
  files: ChangedFileDto[];
}
