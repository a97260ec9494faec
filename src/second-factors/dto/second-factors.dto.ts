import { ApiProperty } from '@nestjs/swagger';
import { NullableProperty, TimestampProperty } from '../../openapi/properties';
import { PasskeyDto } from './passkey.dto';

/** An authenticator app: without its secret. */
export class TotpDto {
  @TimestampProperty({ description: 'When the user confirmed it.' })
  created: string;
}

/** What a user has besides the password. */
export class SecondFactorsDto {
  @NullableProperty(() => TotpDto, { description: 'The authenticator app; null if there is none.' })
  totp: TotpDto | null;

  @ApiProperty({ type: [PasskeyDto], description: 'The passkeys, the oldest first; at most 20.' })
  passkeys: PasskeyDto[];

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    maximum: 10,
    description: 'Number of recovery codes that have not been used.',
    example: 10,
  })
  recoveryCodesLeft: number;
}
