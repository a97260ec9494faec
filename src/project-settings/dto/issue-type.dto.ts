import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A kind of issue in a project (spec, section 2.4). */
export class IssueTypeDto {
  @ApiProperty({ type: 'integer', format: 'int64', example: 4 })
  id: number;

  @ApiProperty({ type: 'integer', format: 'int64', example: 1 })
  projectId: number;

  @ApiProperty({ example: 'Bug' })
  name: string;

  @ApiProperty({ description: '`#rrggbb`.', example: '#990000' })
  color: string;

  @ApiProperty({ type: 'integer', format: 'int32', description: 'Ascending inside the project.', example: 2 })
  displayOrder: number;

  @ApiPropertyOptional({ description: 'Left out when not set.', example: 'Crash in …' })
  templateSummary?: string;

  @ApiPropertyOptional({ description: 'Left out when not set.', example: 'Steps to reproduce:' })
  templateDescription?: string;
}
