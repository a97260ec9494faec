import { ApiProperty } from '@nestjs/swagger';

/** A state of issues in a project (spec, section 2.5). */
export class StatusDto {
  @ApiProperty({ type: 'integer', format: 'int64', example: 5 })
  id: number;

  @ApiProperty({ type: 'integer', format: 'int64', example: 1 })
  projectId: number;

  @ApiProperty({ example: 'In review' })
  name: string;

  @ApiProperty({ description: '`#rrggbb`.', example: '#3b9dbd' })
  color: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    description: 'Ascending inside the project.',
    example: 3999,
  })
  displayOrder: number;
}
