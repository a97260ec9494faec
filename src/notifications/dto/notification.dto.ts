import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../openapi/properties';
import { UserDto } from '../../users/dto/user.dto';

/** The notification of a user about a comment. */
export class NotificationDto {
  @IdProperty({ example: 22 })
  id: number;

  @ApiProperty({
    description: 'Whether the user has seen it: it has been marked as read, individually or with all others.',
    example: false,
  })
  alreadyRead: boolean;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description:
      'For issues: 1 assigned, 2 commented, 4 updated. For pull requests: 10 assigned, 11 commented, 13 updated.',
    example: 2,
  })
  reason: number;

  @ApiProperty({ type: UserDto })
  user: UserDto;

  @ApiProperty({
    description: 'Whether the user has opened its subject: it has been marked as read individually.',
    example: false,
  })
  resourceAlreadyRead: boolean;
}
