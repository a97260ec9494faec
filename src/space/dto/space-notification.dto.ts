import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../http/request/fields';
import { TimestampProperty } from '../../openapi/properties';

/** The message of Administrators to all users. */
export class SpaceNotificationDto {
  @ApiProperty({ description: 'The message; empty if there is none.', example: 'Maintenance on Sunday.' })
  content: string;

  @TimestampProperty({
    description: 'Time at which it was last set; initially the time at which the space was created.',
  })
  updated: string;
}

/** Body of `PUT /space/notification`. */
export class UpdateSpaceNotificationDto {
  @TextField({
    description: 'A message to all users; empty for none.',
    max: 50_000,
    example: 'Maintenance on Sunday.',
  })
  content: string;
}
