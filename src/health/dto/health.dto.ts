import { ApiProperty } from '@nestjs/swagger';

/** Whether the service is well. */
export class HealthDto {
  @ApiProperty({ enum: ['ok'], example: 'ok' })
  status: 'ok';
}
