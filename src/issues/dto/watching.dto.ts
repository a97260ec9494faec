import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { IssueDto } from './issue.dto';

/** A user's watching of an issue. */
export class WatchingDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({
    description: 'False after another user changes the issue, until the watching is marked as read.',
    example: true,
  })
  resourceAlreadyRead: boolean;

  @ApiProperty({ description: 'What the user has noted; empty where there is nothing.', example: '' })
  note: string;

  @ApiProperty({ enum: ['issue'], example: 'issue' })
  type: 'issue';

  @ApiProperty({ type: IssueDto })
  issue: IssueDto;

  @TimestampProperty({ description: 'When the issue was last changed.' })
  lastContentUpdated: string;

  @TimestampProperty()
  created: string;

  @TimestampProperty({ description: 'When the note was last changed.' })
  updated: string;
}
