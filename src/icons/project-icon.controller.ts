import { Controller, Delete, Get, Put, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, PathResource } from '../access/access';
import { type Caller } from '../access/caller';
import { EVERYONE, RoleType } from '../access/role-type';
import { type ReadRequest } from '../http/request/request-reader.guard';
import { type FileAnswer } from '../http/response/file-answer';
import { CountsAs } from '../limits/rate-class';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { ICON_LIMITS, TakesIcon } from './icon-upload';
import { IconsService } from './icons.service';
import { ProjectIconSubject } from './subjects/project-icon.subject';

@ApiTags('Projects')
@Controller('projects/:projectIdOrKey/image')
export class ProjectIconController {
  constructor(
    private readonly icons: IconsService,
    private readonly subject: ProjectIconSubject,
  ) {}

  @Get()
  @Operation({
    summary: 'Get the icon of a project',
    description: 'Returns the uploaded icon, or a generated one.',
    returns: 'image',
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  @CountsAs('icon')
  getProjectIcon(@PathResource() { id }: VisibleProject): Promise<FileAnswer> {
    return this.icons.get(this.subject, id);
  }

  @Put()
  @Operation({
    summary: 'Upload the icon of a project',
    description: `Only Administrators and administrators of the project may do this. ${ICON_LIMITS}`,
    returns: 'nothing',
    countLimit: 'unattachedFile',
  })
  @TakesIcon()
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader, orProjectAdministrator: true })
  updateProjectIcon(
    @Req() request: ReadRequest,
    @CurrentCaller() caller: Caller,
    @PathResource() { id }: VisibleProject,
  ): Promise<void> {
    return this.icons.update(request, caller, this.subject, id);
  }

  @Delete()
  @Operation({
    summary: 'Remove the uploaded icon of a project',
    description: `Restores the generated icon. Only Administrators and administrators of the project may do this. ${NOT_OF_THE_FAMILY}`,
    returns: 'nothing',
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader, orProjectAdministrator: true })
  deleteProjectIcon(@PathResource() { id }: VisibleProject): Promise<void> {
    return this.icons.remove(this.subject, id);
  }
}
