import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE_BLOB, HashProperty } from './hash-property';

export const TREE_ENTRY_TYPES = ['blob', 'tree', 'symlink', 'commit'] as const;
export type TreeEntryType = (typeof TREE_ENTRY_TYPES)[number];

/** An entry of a folder of a git repository. */
export class TreeEntryDto {
  @ApiProperty({ example: 'README.md' })
  name: string;

  @ApiProperty({
    description: 'From the top folder on. Bytes that are no UTF-8 are shown as U+FFFD.',
    example: 'README.md',
  })
  path: string;

  @ApiProperty({
    enum: TREE_ENTRY_TYPES,
    description:
      'A file, a folder, a symbolic link, which is not followed, or the commit of another repository (a submodule).',
    example: 'blob',
  })
  type: TreeEntryType;

  @ApiProperty({ description: 'Octal digits.', example: '100644' })
  mode: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    nullable: true,
    description: 'Bytes; null for what is no file.',
    example: 7,
  })
  size: number | null;

  @HashProperty({ example: EXAMPLE_BLOB })
  hash: string;
}
