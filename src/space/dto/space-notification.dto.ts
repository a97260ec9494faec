import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../http/request/fields';
import { TimestampProperty } from '../../openapi/properties';

/** The message of Administrators to all users. */
export class SpaceNotificationDto {
  @ApiProperty({ description: 'Empty until there is something to tell.', example: 'Maintenance on Sunday.' })
  content: string;

  @TimestampProperty({ description: 'When it was last set; at first, when the space was made.' })
  updated: string;
}

/** Body of `PUT /space/notification`. */
export class UpdateSpaceNotificationDto {
  @TextField({
    description: 'A message to everybody; empty when there is none.',
    max: 50_000,
    example: 'Maintenance on Sunday.',
  })
  content: string;
}
