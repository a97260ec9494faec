import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { Operation } from '../openapi/operation';
import { type ProjectResource } from '../projects/project-resource';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { type AuditedCaller } from '../access/caller';
import { EVERYONE, RoleType } from '../access/role-type';
import { AddStatusDto } from './dto/add-status.dto';
import { DeleteStatusDto } from './dto/delete-status.dto';
import { StatusDto } from './dto/status.dto';
import { UpdateStatusDisplayOrderDto } from './dto/update-status-display-order.dto';
import { UpdateStatusDto } from './dto/update-status.dto';
import { StatusLoader } from './status.loader';
import { StatusesService } from './statuses.service';

const ADMINISTRATORS_ONLY = 'Only Administrators and administrators of the project may do this.';

@ApiTags('Project settings')
@Controller('projects/:projectIdOrKey/statuses')
export class StatusesController {
  constructor(private readonly statuses: StatusesService) {}

  @Get()
  @Operation({
    summary: "List a project's statuses",
    description:
      'Ordered by `displayOrder`. In every project, 1 is Open, 2 In Progress, 3 Resolved and 4 Closed.',
    returns: [StatusDto],
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  listStatuses(@PathResource() project: VisibleProject): Promise<StatusDto[]> {
    return this.statuses.list(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a status to a project',
    description: `Adds the status just before Closed. ${ADMINISTRATORS_ONLY}`,
    returns: StatusDto,
    creates: true,
    countLimit: 'status',
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader, orProjectAdministrator: true })
  addStatus(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddStatusDto,
  ): Promise<StatusDto> {
    return this.statuses.add(project.id, caller, body);
  }

  @Patch('updateDisplayOrder')
  @Operation({
    summary: "Set the order of a project's statuses",
    description: ADMINISTRATORS_ONLY,
    returns: [StatusDto],
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader, orProjectAdministrator: true })
  updateStatusDisplayOrder(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { statusId }: UpdateStatusDisplayOrderDto,
  ): Promise<StatusDto[]> {
    return this.statuses.reorder(project, caller, statusId);
  }

  @Patch(':statusId')
  @Operation({
    summary: 'Update a status',
    description: `Changes the name and colour, also of the standard statuses. ${ADMINISTRATORS_ONLY}`,
    returns: StatusDto,
    pathExamples: { statusId: 5 },
  })
  @Access({ roles: [RoleType.Administrator], resource: StatusLoader, orProjectAdministrator: true })
  updateStatus(
    @PathResource() status: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: UpdateStatusDto,
  ): Promise<StatusDto> {
    return this.statuses.update(status, caller, body);
  }

  @Delete(':statusId')
  @Operation({
    summary: 'Delete a status',
    description: `Its issues receive the substitute status. The standard statuses cannot be deleted. ${ADMINISTRATORS_ONLY}`,
    returns: StatusDto,
    pathExamples: { statusId: 5 },
  })
  @Access({ roles: [RoleType.Administrator], resource: StatusLoader, orProjectAdministrator: true })
  deleteStatus(
    @PathResource() status: ProjectResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { substituteStatusId }: DeleteStatusDto,
  ): Promise<StatusDto> {
    return this.statuses.delete(status, caller, substituteStatusId);
  }
}
