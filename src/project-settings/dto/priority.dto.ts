import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../openapi/properties';

/** The urgency of an issue. */
export class PriorityDto {
  @IdProperty({ example: 3 })
  id: number;

  @ApiProperty({ example: 'Normal' })
  name: string;
}
