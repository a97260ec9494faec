import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, CurrentCaller, PathResource } from '../access/access';
import { selectFields } from '../http/request/selected-fields';
import { Created } from '../http/response/created';
import { Operation } from '../openapi/operation';
import { type AuditedCaller, type Caller } from '../access/caller';
import { EVERYONE, RoleType } from '../access/role-type';
import { ViewKind } from '../views/view-kind';
import { ViewsService } from '../views/views.service';
import { AddProjectDto } from './dto/add-project.dto';
import { ListProjectsQuery } from './dto/list-projects.dto';
import { ProjectDto } from './dto/project.dto';
import { UpdateProjectDto } from './dto/update-project.dto';
import { ProjectAdministrationService } from './project-administration.service';
import { ProjectLoader } from './project.loader';
import { ProjectsService, type VisibleProject } from './projects.service';

@ApiTags('Projects')
@Controller('projects')
export class ProjectsController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly administration: ProjectAdministrationService,
    private readonly views: ViewsService,
  ) {}

  @Get()
  @Operation({
    summary: 'List projects',
    description:
      'Projects that the caller belongs to, ordered by id. With `all`, an Administrator gets every project.',
    returns: [ProjectDto],
  })
  @Access({ roles: EVERYONE })
  async listProjects(
    @CurrentCaller() caller: Caller,
    @Query() query: ListProjectsQuery,
  ): Promise<ProjectDto[]> {
    return selectFields(await this.projects.list(caller, query), query.fields);
  }

  @Post()
  @Operation({
    summary: 'Add a project',
    description:
      'Only Administrators may do this. The project initially has the statuses Open, In Progress, Resolved and Closed, the issue types Task, Bug, Request and Other, and the caller as its administrator.',
    returns: ProjectDto,
    creates: 'located',
    countLimit: 'project',
  })
  @Access({ roles: [RoleType.Administrator] })
  async addProject(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: AddProjectDto,
  ): Promise<Created<ProjectDto>> {
    const project = await this.administration.add(caller, body);
    return new Created(project, `/projects/${project.projectKey}`);
  }

  @Get(':projectIdOrKey')
  @Operation({ summary: 'Get a project', returns: ProjectDto })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  getProject(@PathResource() { id }: VisibleProject, @CurrentCaller() caller: Caller): Promise<ProjectDto> {
    this.views.note(caller, ViewKind.Project, { id, projectId: id });
    return this.projects.get(id);
  }

  @Patch(':projectIdOrKey')
  @Operation({
    summary: 'Update a project',
    description:
      'Only Administrators and administrators of the project may do this. A new `key` changes the keys of its issues; the old keys are no longer found.',
    returns: ProjectDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader, orProjectAdministrator: true })
  updateProject(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() project: VisibleProject,
    @Body() body: UpdateProjectDto,
  ): Promise<ProjectDto> {
    return this.administration.update(caller, project.id, body);
  }

  @Delete(':projectIdOrKey')
  @Operation({
    summary: 'Delete a project',
    description:
      'Only Administrators may do this. The project disappears immediately for all users, and its key can be reused; its contents are removed in the background. This cannot be undone.',
    returns: ProjectDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader })
  deleteProject(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() project: VisibleProject,
  ): Promise<ProjectDto> {
    return this.administration.remove(caller, project.id);
  }
}
