import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../openapi/properties';

/** How urgent an issue is. */
export class PriorityDto {
  @IdProperty({ example: 3 })
  id: number;

  @ApiProperty({ example: 'Normal' })
  name: string;
}
