import { ApiProperty } from '@nestjs/swagger';
import { TimestampProperty } from '../../openapi/properties';

/** A link with which a user sets a password. */
export class PasswordLinkDto {
  @ApiProperty({
    description: 'The address of the page, shown only once. Whoever opens it first can set the password.',
    example: 'http://localhost:3000/password/EXAMPLEtokenEXAMPLEtokenEXAMPLEtokenEXAMPLE',
  })
  url: string;

  @TimestampProperty({ description: 'Time from which the link does not work.' })
  expires: string;
}
