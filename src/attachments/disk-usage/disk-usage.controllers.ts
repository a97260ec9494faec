import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type AuthorizedSearcher, CurrentSearcher, PathResource } from '../../access/access';
import { RoleType } from '../../access/role-type';
import { Operation } from '../../openapi/operation';
import { ProjectLoader } from '../../projects/project.loader';
import { type VisibleProject } from '../../projects/projects.service';
import { DiskUsageService } from './disk-usage.service';
import { ProjectDiskUsageDto, SpaceDiskUsageDto } from './dto/disk-usage.dto';

const UNATTACHED_NOTE = 'Excludes uploaded files that are not attached yet.';

@ApiTags('Disk usage')
@Controller('space/diskUsage')
export class SpaceDiskUsageController {
  constructor(private readonly usage: DiskUsageService) {}

  @Get()
  @Operation({
    summary: 'Get the disk usage of the space',
    description: UNATTACHED_NOTE,
    returns: SpaceDiskUsageDto,
  })
  @Access({ roles: [RoleType.Administrator] })
  getSpaceDiskUsage(@CurrentSearcher() searcher: AuthorizedSearcher): Promise<SpaceDiskUsageDto> {
    return this.usage.ofSpace(searcher);
  }
}

@ApiTags('Disk usage')
@Controller('projects/:projectIdOrKey/diskUsage')
export class ProjectDiskUsageController {
  constructor(private readonly usage: DiskUsageService) {}

  @Get()
  @Operation({
    summary: 'Get the disk usage of a project',
    description: UNATTACHED_NOTE,
    returns: ProjectDiskUsageDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader })
  getProjectDiskUsage(
    @PathResource() { id }: VisibleProject,
    @CurrentSearcher() searcher: AuthorizedSearcher,
  ): Promise<ProjectDiskUsageDto> {
    return this.usage.ofProject(id, searcher);
  }
}
