import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../openapi/properties';

/** A tag of wiki pages. */
export class WikiTagDto {
  @IdProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'guide' })
  name: string;
}
