import { ApiProperty } from '@nestjs/swagger';
import { AttachedFileDto } from '../../attachments/dto/attached-file.dto';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { SharedFileDto } from '../../shared-files/dto/shared-file.dto';
import { StarDto } from '../../stars/dto/star.dto';
import { ADMINISTRATOR_EXAMPLE, UserDto } from '../../users/dto/user.dto';
import { WikiTagDto } from './wiki-tag.dto';

/** A wiki page in a list. */
export class WikiSummaryDto {
  @IdProperty({ example: 1 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ description: 'The name without its tags.', example: 'Releases' })
  name: string;

  @ApiProperty({
    type: [WikiTagDto],
    description: 'The texts that were in brackets in the name, ordered by name.',
  })
  tags: WikiTagDto[];

  @ApiProperty({ type: UserDto, example: ADMINISTRATOR_EXAMPLE })
  createdUser: UserDto;

  @TimestampProperty()
  created: string;

  @ApiProperty({
    type: UserDto,
    example: ADMINISTRATOR_EXAMPLE,
    description: 'The user who last changed the page.',
  })
  updatedUser: UserDto;

  @TimestampProperty({ description: 'Time of the last change of the name or content.' })
  updated: string;
}

/** A wiki page. */
export class WikiDto extends WikiSummaryDto {
  @ApiProperty({ example: '# Releases\n\nOn Mondays.' })
  content: string;

  @ApiProperty({ type: [AttachedFileDto] })
  attachments: AttachedFileDto[];

  @ApiProperty({ type: [SharedFileDto], example: [] })
  sharedFiles: SharedFileDto[];

  @ApiProperty({ type: [StarDto], example: [] })
  stars: StarDto[];
}
