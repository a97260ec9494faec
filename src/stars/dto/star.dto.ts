import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { UserDto } from '../../users/dto/user.dto';

/** A user's star. */
export class StarDto {
  @IdProperty({ example: 10 })
  id: number;

  @ApiProperty({ description: 'The comment of the presenter; empty if there is none.', example: '' })
  comment: string;

  @ApiProperty({ example: 'http://localhost:3000/view/DEMO-1#comment-3' })
  url: string;

  @ApiProperty({ example: '[DEMO-1] Welcome' })
  title: string;

  @ApiProperty({ type: UserDto })
  presenter: UserDto;

  @TimestampProperty()
  created: string;
}
