import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE_BLOB, HashProperty } from './hash-property';

const CHANGE_STATUSES = ['added', 'deleted', 'modified', 'renamed', 'copied', 'typeChanged'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

const CountOfLines = (description: string): PropertyDecorator =>
  ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    nullable: true,
    description: `${description} Null for content that is not text, or too large to compare.`,
    example: 1,
  });

/** A file that differs between two commits. */
export class ChangedFileDto {
  @ApiProperty({
    description: 'The path in the newer commit, or in the older one for a deleted file.',
    example: 'README.md',
  })
  path: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The path in the older commit, for a renamed or copied file.',
    example: null,
  })
  previousPath: string | null;

  @ApiProperty({ enum: CHANGE_STATUSES, example: 'modified' })
  status: ChangeStatus;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The previous mode, in octal digits; null for a new file.',
    example: '100644',
  })
  previousMode: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The new mode, in octal digits; null for a deleted file.',
    example: '100644',
  })
  mode: string | null;

  @HashProperty({
    nullable: true,
    description: 'Hash of the previous content; null for a new file.',
    example: EXAMPLE_BLOB,
  })
  previousHash: string | null;

  @HashProperty({
    nullable: true,
    description: 'Hash of the new content; null for a deleted file.',
    example: EXAMPLE_BLOB,
  })
  hash: string | null;

  @CountOfLines('Number of added lines.')
  additions: number | null;

  @CountOfLines('Number of deleted lines.')
  deletions: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The changed lines as shown by `git diff`, from the first `@@` on; empty if no line has changed. At most 100 KiB, and at most 1 MiB per response. Null for content that is not text or is too large to compare, and if the response has no room left. Decoded as UTF-8, or by the `encoding` of `.gitattributes`.',
    example: '@@ -1 +1,2 @@\n # Demo\n+The search\n',
  })
  patch: string | null;

  @ApiProperty({ description: 'Whether the patch is truncated.', example: false })
  isTruncated: boolean;
}
