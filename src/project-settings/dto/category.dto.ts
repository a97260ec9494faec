import { ApiProperty } from '@nestjs/swagger';
import { DisplayOrderProperty, IdProperty } from '../../openapi/properties';

/** What issues of a project can be sorted into. */
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
