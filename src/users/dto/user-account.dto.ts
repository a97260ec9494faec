import { ApiProperty } from '@nestjs/swagger';
import { TimestampProperty } from '../../openapi/properties';

/** What Administrators may know about a user beyond the fields of every user. */
export class UserAccountDto {
  @ApiProperty({ description: 'Whether the API keys of the user work.', example: true })
  enabled: boolean;

  @TimestampProperty({
    description:
      'Time of the last request, updated at most once a minute; null if there was none. `lastLoginTime` starts as the time of creation.',
    nullable: true,
  })
  lastUsed: string | null;
}
