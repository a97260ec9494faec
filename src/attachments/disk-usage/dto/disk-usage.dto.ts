import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../../openapi/properties';

const BytesProperty = (description: string, example = 0): PropertyDecorator =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description, example });

const NeverProperty = (): PropertyDecorator => BytesProperty('Always 0: the service keeps none.');

/** The disk usage of stored files in bytes, by kind. */
export class DiskUsageDto {
  @BytesProperty('Files of issues.', 28)
  issue: number;

  @BytesProperty('Files of wiki pages.', 28)
  wiki: number;

  @BytesProperty('Shared files, each with its newest version.', 28)
  file: number;

  @NeverProperty()
  subversion: number;

  @BytesProperty(
    'Git repositories, as they were after the last push or the last time that they were packed anew.',
  )
  git: number;

  @NeverProperty()
  gitLFS: number;

  @BytesProperty('Files of documents.')
  document: number;

  @BytesProperty('Files of pull requests.', 28)
  pullRequest: number;
}

/** The disk usage of a project. */
export class ProjectDiskUsageDto extends DiskUsageDto {
  @IdProperty({ example: 1 })
  projectId: number;
}

/** The disk usage of all projects. */
export class SpaceDiskUsageDto extends DiskUsageDto {
  @BytesProperty('Maximum total size of all files; 0 means no limit.')
  capacity: number;

  @ApiProperty({ type: [ProjectDiskUsageDto], description: 'Of each project, ordered by its id.' })
  details: ProjectDiskUsageDto[];
}
