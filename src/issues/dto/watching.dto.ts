import { ApiProperty } from '@nestjs/swagger';
import { IdProperty, TimestampProperty } from '../../openapi/properties';
import { IssueDto } from './issue.dto';

/** A user's watching of an issue. */
export class WatchingDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({
    description: 'False from a change of the issue by another user until the watching is marked as read.',
    example: true,
  })
  resourceAlreadyRead: boolean;

  @ApiProperty({ description: 'The note of the user; empty if there is none.', example: '' })
  note: string;

  @ApiProperty({ enum: ['issue'], example: 'issue' })
  type: 'issue';

  @ApiProperty({ type: IssueDto })
  issue: IssueDto;

  @TimestampProperty({ description: 'Time of the last change of the issue.' })
  lastContentUpdated: string;

  @TimestampProperty()
  created: string;

  @TimestampProperty({ description: 'Time of the last change of the note.' })
  updated: string;
}
