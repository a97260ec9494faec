import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';

/** The state of a wiki page after a change. */
export class WikiVersionDto {
  @IdProperty({ description: 'Id of the page.', example: 1 })
  pageId: number;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 1,
    description: 'The version number, starting at 1.',
    example: 2,
  })
  version: number;

  @ApiProperty({ example: 'Releases' })
  name: string;

  @ApiProperty({ example: '# Releases\n\nOn Mondays.' })
  content: string;

  @ApiProperty({
    type: UserDto,
    example: ADMINISTRATOR_EXAMPLE,
    description: 'The user who made the change.',
  })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;
}
