import { ApiProperty } from '@nestjs/swagger';
import { EXAMPLE_BLOB, HashProperty } from './hash-property';

const TREE_ENTRY_TYPES = ['blob', 'tree', 'symlink', 'commit'] as const;
export type TreeEntryType = (typeof TREE_ENTRY_TYPES)[number];

/** An entry of a folder of a git repository. */
export class TreeEntryDto {
  @ApiProperty({ example: 'README.md' })
  name: string;

  @ApiProperty({
    description: 'The path, from the top folder on. Bytes that are not valid UTF-8 are shown as U+FFFD.',
    example: 'README.md',
  })
  path: string;

  @ApiProperty({
    enum: TREE_ENTRY_TYPES,
    description:
      'A file, a folder, a symbolic link (not followed) or a commit of another repository (a submodule).',
    example: 'blob',
  })
  type: TreeEntryType;

  @ApiProperty({ description: 'The mode, in octal digits.', example: '100644' })
  mode: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    nullable: true,
    description: 'Size in bytes; null for folders and submodules.',
    example: 7,
  })
  size: number | null;

  @HashProperty({ example: EXAMPLE_BLOB })
  hash: string;
}
