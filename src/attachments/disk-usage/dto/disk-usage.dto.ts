import { ApiProperty } from '@nestjs/swagger';
import { IdProperty } from '../../../openapi/properties';

const BytesProperty = (description: string, example = 0): PropertyDecorator =>
  ApiProperty({ type: 'integer', format: 'int64', minimum: 0, description, example });

const NeverProperty = (): PropertyDecorator => BytesProperty('Always 0: not stored by the service.');

/** The disk usage of stored files in bytes, by kind. */
export class DiskUsageDto {
  @BytesProperty('Bytes used by files of issues.', 28)
  issue = 0;

  @BytesProperty('Bytes used by files of wiki pages.', 28)
  wiki = 0;

  @BytesProperty('Bytes used by shared files, in their newest versions.', 28)
  file = 0;

  @NeverProperty()
  subversion = 0;

  @BytesProperty('Bytes used by git repositories, as of the last push or repack.')
  git = 0;

  @NeverProperty()
  gitLFS = 0;

  @BytesProperty('Bytes used by files of documents.')
  document = 0;

  @BytesProperty('Bytes used by files of pull requests.', 28)
  pullRequest = 0;
}

/** The disk usage of a project. */
export class ProjectDiskUsageDto extends DiskUsageDto {
  @IdProperty({ example: 1 })
  projectId: number;
}

/** The disk usage of all projects. */
export class SpaceDiskUsageDto extends DiskUsageDto {
  @BytesProperty('Maximum total size of all files, in bytes; 0 means no limit.')
  capacity: number;

  @ApiProperty({
    type: [ProjectDiskUsageDto],
    description: 'Disk usage of each project, ordered by project id.',
  })
  details: ProjectDiskUsageDto[];
}
