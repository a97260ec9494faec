import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

/** A group of users who are members of projects together. */
export class TeamDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'Developers' })
  name: string;

  @ApiProperty({ type: [UserDto], description: 'Ordered by id.' })
  members: UserDto[];

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 0,
    description: 'Position in the space, ascending.',
    example: 0,
  })
  displayOrder: number;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  updatedUser: UserDto;

  @TimestampProperty()
  updated: string;
}
