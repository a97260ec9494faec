import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

const SHARED_FILE_TYPES = ['file', 'directory'] as const;

/** A folder or file of a project. */
export class SharedFileDto {
  @IdProperty({ example: 2 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ enum: SHARED_FILE_TYPES, example: 'file' })
  type: (typeof SHARED_FILE_TYPES)[number];

  @ApiProperty({ description: 'Path of the parent folder, with a slash at both ends.', example: '/guides/' })
  dir: string;

  @ApiProperty({ example: 'start.txt' })
  name: string;

  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 0,
    nullable: true,
    description: 'Size in bytes; null for a folder.',
    example: 28,
  })
  size: number | null;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({
    type: UserDto,
    example: ADMINISTRATOR_EXAMPLE,
    description: 'The user who uploaded the current version.',
  })
  updatedUser: UserDto;

  @TimestampProperty({ description: 'Time at which the current version was uploaded.' })
  updated: string;
}
