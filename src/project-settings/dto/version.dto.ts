import { ApiProperty } from '@nestjs/swagger';
import { DisplayOrderProperty, IdProperty, TimestampProperty } from '../../openapi/properties';

/** A version of a project, which is also a milestone of issues. */
export class VersionDto {
  @IdProperty({ example: 1 })
  id: number;

  @IdProperty({ example: 1 })
  projectId: number;

  @ApiProperty({ example: '1.0' })
  name: string;

  @ApiProperty({
    description: 'The description; empty if there is none.',
    example: 'The first one for everybody.',
  })
  description: string;

  @TimestampProperty({
    description: 'The day, at midnight.',
    nullable: true,
    example: '2026-01-31T00:00:00Z',
  })
  startDate: string | null;

  @TimestampProperty({
    description: 'The day, at midnight.',
    nullable: true,
    example: '2026-02-28T00:00:00Z',
  })
  releaseDueDate: string | null;

  @ApiProperty({ description: 'Whether the version is archived.', example: false })
  archived: boolean;

  @DisplayOrderProperty({ example: 0 })
  displayOrder: number;
}
