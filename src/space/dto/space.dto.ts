import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';

/** The space. */
export class SpaceDto {
  @ApiProperty({ example: 'space' })
  spaceKey: string;

  @ApiProperty({ example: 'Space' })
  name: string;

  @IdProperty({ description: 'Id of an Administrator, initially the first one.', example: 1 })
  ownerId: number;

  @ApiProperty({ example: 'en' })
  lang: string;

  @ApiProperty({ example: 'UTC' })
  timezone: string;

  @ApiProperty({ description: '`HH:mm:ss`; no reports are sent.', example: '08:00:00' })
  reportSendTime: string;

  @ApiProperty({ enum: ['backlog', 'markdown'], example: 'markdown' })
  textFormattingRule: string;

  @TimestampProperty()
  created: string;

  @TimestampProperty()
  updated: string;
}
