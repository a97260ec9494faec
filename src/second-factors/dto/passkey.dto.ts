import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';

/** A passkey, without its key. */
export class PasskeyDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ description: 'The name that the user gave it.', example: 'Phone' })
  name: string;

  @TimestampProperty()
  created: string;

  @TimestampProperty({
    nullable: true,
    description: 'When the user last signed in with it; null before the first time.',
    example: null,
  })
  lastUsed: string | null;

  @ApiProperty({ description: 'Whether it is copied to other devices of the user.', example: true })
  backedUp: boolean;
}
