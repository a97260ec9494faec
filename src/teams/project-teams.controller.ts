import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { EVERYONE, RoleType } from '../access/role-type';
import { Operation } from '../openapi/operation';
import { ProjectLoader } from '../projects/project.loader';
import { type VisibleProject } from '../projects/projects.service';
import { ProjectTeamDto } from './dto/project-team.dto';
import { TeamDto } from './dto/team.dto';
import { ProjectTeamsService } from './project-teams.service';
import { TeamReaderService } from './team-reader.service';

@ApiTags('Teams')
@Controller('projects/:projectIdOrKey/teams')
export class ProjectTeamsController {
  constructor(
    private readonly projectTeams: ProjectTeamsService,
    private readonly reader: TeamReaderService,
  ) {}

  @Get()
  @Operation({
    summary: 'List the teams of a project',
    description: 'Ordered by `displayOrder`.',
    returns: [TeamDto],
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader, area: 'projects' })
  listProjectTeams(@PathResource() project: VisibleProject): Promise<TeamDto[]> {
    return this.reader.listOfProject(project.id);
  }

  @Post()
  @Operation({
    summary: 'Add a team to a project',
    description:
      'Only Administrators and administrators of the project may do this. The members of the team become members of the project; those who were not members before are notified.',
    returns: TeamDto,
    countLimit: ['projectTeam', 'teamProject'],
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ProjectLoader,
    area: 'projects',
    orProjectAdministrator: true,
    beyondProjects: true,
  })
  addProjectTeam(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ProjectTeamDto,
  ): Promise<TeamDto> {
    return this.projectTeams.add(project.id, caller, body.teamId);
  }

  @Delete()
  @Operation({
    summary: 'Remove a team from a project',
    description:
      'Only Administrators and administrators of the project may do this. Members of the team remain members of the project if they were added directly or are in another of its teams.',
    returns: TeamDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ProjectLoader,
    area: 'projects',
    orProjectAdministrator: true,
    beyondProjects: true,
  })
  deleteProjectTeam(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ProjectTeamDto,
  ): Promise<TeamDto> {
    return this.projectTeams.remove(project.id, caller, body.teamId);
  }
}
