import { ApiProperty } from '@nestjs/swagger';

/** Why an issue is done with. */
export class ResolutionDto {
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0, example: 0 })
  id: number;

  @ApiProperty({ example: 'Fixed' })
  name: string;
}
