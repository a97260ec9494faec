import { ApiProperty } from '@nestjs/swagger';

/** How many there are. */
export class CountDto {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, example: 1 })
  count: number;
}
