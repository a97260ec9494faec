import { ApiProperty } from '@nestjs/swagger';
import { TimestampProperty } from '../../openapi/properties';
import { ProjectDto } from './project.dto';

/** A project that the caller has viewed. */
export class RecentlyViewedProjectDto {
  @ApiProperty({ type: ProjectDto })
  project: ProjectDto;

  @TimestampProperty({ description: 'Time at which the caller last viewed the project.' })
  updated: string;
}
