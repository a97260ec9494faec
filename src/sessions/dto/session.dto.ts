import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';

/** A browser in which a user has signed in, in lists: without its token, of which only a hash is stored. */
export class SessionDto {
  @IdProperty({ example: 1 })
  id: number;

  @TimestampProperty()
  created: string;

  @TimestampProperty({ description: 'Time of the last use, updated at most once a minute.' })
  lastSeen: string;

  @TimestampProperty({ description: 'Time from which the session is refused, unless it is used before.' })
  expires: string;

  @TimestampProperty({
    nullable: true,
    description: 'When the user proved their second factor; null if they did not.',
    example: null,
  })
  secondFactor: string | null;

  @ApiProperty({ description: "The client's address at the sign-in.", example: '192.0.2.1' })
  address: string;

  @ApiProperty({
    description: 'What the browser says of itself.',
    example: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  })
  userAgent: string;

  @ApiProperty({ description: 'Whether the request itself was made in this session.', example: false })
  current: boolean;
}
