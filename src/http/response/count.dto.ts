import { ApiProperty } from '@nestjs/swagger';

/** The number of entries of a list. */
export class CountDto {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, example: 1 })
  count: number;
}
