import { ApiProperty } from '@nestjs/swagger';
import { ColorProperty, DisplayOrderProperty, IdProperty } from '../../openapi/properties';

/** A state of issues in a project (`docs/protocol.md#status`). */
export class StatusDto {
  @IdProperty({
    description: '1 to 4 are Open, In Progress, Resolved and Closed in every project.',
    example: 5,
  })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ example: 'In review' })
  name: string;

  @ColorProperty({ example: '#3b9dbd' })
  color: string;

  @DisplayOrderProperty({ example: 3999 })
  displayOrder: number;
}
