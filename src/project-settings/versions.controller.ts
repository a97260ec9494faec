import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { Operation } from '../openapi/operation';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { type AuditedCaller } from '../access/caller';
import { DEVELOPERS, EVERYONE } from '../access/role-type';
import { AddVersionDto } from './dto/add-version.dto';
import { UpdateVersionDto } from './dto/update-version.dto';
import { VersionDto } from './dto/version.dto';
import { VersionLoader } from './version.loader';
import { VersionsService } from './versions.service';

@ApiTags('Project settings')
@Controller('projects/:projectIdOrKey/versions')
export class VersionsController {
  constructor(private readonly versions: VersionsService) {}

  @Get()
  @Operation({
    summary: "List a project's versions",
    description: 'Ordered by `displayOrder`. A version is also a milestone of issues.',
    returns: [VersionDto],
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  listVersions(@PathResource() project: VisibleProject): Promise<VersionDto[]> {
    return this.versions.list(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a version to a project',
    description: 'Adds the version after the existing ones.',
    returns: VersionDto,
    countLimit: 'version',
  })
  @Access({ roles: DEVELOPERS, resource: ProjectLoader })
  addVersion(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddVersionDto,
  ): Promise<VersionDto> {
    return this.versions.add(project.id, caller, body);
  }

  @Patch(':versionId')
  @Operation({
    summary: 'Update a version',
    description: 'A date of `null` is removed.',
    returns: VersionDto,
  })
  @Access({ roles: DEVELOPERS, resource: VersionLoader })
  updateVersion(
    @PathResource() version: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: UpdateVersionDto,
  ): Promise<VersionDto> {
    return this.versions.update(version, caller, body);
  }

  @Delete(':versionId')
  @Operation({
    summary: 'Delete a version',
    description: 'Its issues are kept, without the version.',
    returns: VersionDto,
  })
  @Access({ roles: DEVELOPERS, resource: VersionLoader })
  deleteVersion(
    @PathResource() version: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<VersionDto> {
    return this.versions.delete(version, caller);
  }
}
