import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ColorProperty, DisplayOrderProperty, IdProperty } from '../../openapi/properties';

/** A kind of issue in a project (`docs/protocol.md#issue-type`). */
export class IssueTypeDto {
  @IdProperty({ example: 3 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ example: 'Incident' })
  name: string;

  @ColorProperty({ example: '#990000' })
  color: string;

  @DisplayOrderProperty({ example: 2 })
  displayOrder: number;

  @ApiPropertyOptional({ description: 'Absent if not set.', example: 'Outage of …' })
  templateSummary?: string;

  @ApiPropertyOptional({ description: 'Absent if not set.', example: 'What happened, since when?' })
  templateDescription?: string;
}
