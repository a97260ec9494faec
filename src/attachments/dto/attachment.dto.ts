import { ApiProperty } from '@nestjs/swagger';

/** A file, in few words (spec, section 2.6). */
export class AttachmentDto {
  @ApiProperty({ type: 'integer', format: 'int64', example: 8 })
  id: number;

  @ApiProperty({ example: 'build.log' })
  name: string;

  @ApiProperty({ type: 'integer', format: 'int64', description: 'Bytes.', example: 2048 })
  size: number;
}
