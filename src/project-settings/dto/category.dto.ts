import { ApiProperty } from '@nestjs/swagger';
import { DisplayOrderProperty, IdProperty } from '../../openapi/properties';

/** A category of issues in a project. */
export class CategoryDto {
  @IdProperty({ example: 1 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ example: 'Payments' })
  name: string;

  @DisplayOrderProperty({ example: 0 })
  displayOrder: number;
}
