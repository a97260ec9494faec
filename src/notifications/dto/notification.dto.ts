import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../openapi/properties';
import { UserDto } from '../../users/dto/user.dto';

/** The notification of a user about a comment. */
export class NotificationDto {
  @IdProperty({ example: 22 })
  id: number;

  @ApiProperty({
    description: 'The user has seen it: it has been marked as read, alone or with all.',
    example: false,
  })
  alreadyRead: boolean;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description:
      'Of an issue: 1 assigned, 2 commented, 4 updated. Of a pull request: 10 assigned, 11 commented, 13 updated.',
    example: 2,
  })
  reason: number;

  @ApiProperty({ type: UserDto })
  user: UserDto;

  @ApiProperty({
    description: 'The user has opened what it is about: it has been marked as read alone.',
    example: false,
  })
  resourceAlreadyRead: boolean;
}
