import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../openapi/properties';

/** The short form of a file (`docs/protocol.md#attachment`). */
export class AttachmentDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'build.log' })
  name: string;

  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description: 'Bytes.', example: 2048 })
  size: number;
}
