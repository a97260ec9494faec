import { ApiProperty } from '@nestjs/swagger';

/** The health of the service. */
export class HealthDto {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status: 'ok';
}
