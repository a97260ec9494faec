import { ApiProperty } from '@nestjs/swagger';

/** The reason why an issue is closed. */
export class ResolutionDto {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, example: 0 })
  id: number;

  @ApiProperty({ example: 'Fixed' })
  name: string;
}
