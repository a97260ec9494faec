import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE_BLOB, HashProperty } from './hash-property';

export const CHANGE_STATUSES = ['added', 'deleted', 'modified', 'renamed', 'copied', 'typeChanged'] as const;
export type ChangeStatus = (typeof CHANGE_STATUSES)[number];

const CountOfLines = (description: string): PropertyDecorator =>
  ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    nullable: true,
    description: `${description} Null for what is no text or larger than 1 MiB.`,
    example: 1,
  });

/** A file that differs between two commits. */
export class ChangedFileDto {
  @ApiProperty({
    description: 'Its path in the newer commit, or in the older one when it has been deleted.',
    example: 'README.md',
  })
  path: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Its path in the older commit when it has been renamed or copied.',
    example: null,
  })
  previousPath: string | null;

  @ApiProperty({ enum: CHANGE_STATUSES, example: 'modified' })
  status: ChangeStatus;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The mode before, in octal digits; null for a new file.',
    example: '100644',
  })
  previousMode: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The mode now, in octal digits; null for a deleted file.',
    example: '100644',
  })
  mode: string | null;

  @HashProperty({
    nullable: true,
    description: 'The hash of its content before; null for a new file.',
    example: EXAMPLE_BLOB,
  })
  previousHash: string | null;

  @HashProperty({
    nullable: true,
    description: 'The hash of its content now; null for a deleted file.',
    example: EXAMPLE_BLOB,
  })
  hash: string | null;

  @CountOfLines('How many lines are new.')
  additions: number | null;

  @CountOfLines('How many lines are gone.')
  deletions: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The changed lines as `git diff` shows them, from the first `@@` on; empty when no line has changed. At most 100 KiB, and at ' +
      'most 1 MiB in an answer. Null for what is no text or larger than 1 MiB, and where there is no room.',
    example: '@@ -1 +1,2 @@\n # Demo\n+The search\n',
  })
  patch: string | null;

  @ApiProperty({ description: 'Whether the patch is longer than what is shown.', example: false })
  isTruncated: boolean;
}
