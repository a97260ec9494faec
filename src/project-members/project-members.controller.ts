import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { selectFields } from '../http/request/selected-fields';
import { Operation } from '../openapi/operation';
import { ProjectLoader } from '../projects/project.loader';
import { ProjectsService, type VisibleProject } from '../projects/projects.service';
import { type AuditedCaller } from '../access/caller';
import { UserDto } from '../users/dto/user.dto';
import { EVERYONE, RoleType } from '../access/role-type';
import { ListProjectUsersQuery } from './dto/list-project-users.dto';
import { ProjectMemberDto } from './dto/project-member.dto';
import { ProjectMembersService } from './project-members.service';

/** Members are chosen among all users of the space. */
const CHANGE = {
  roles: [RoleType.Administrator],
  resource: ProjectLoader,
  orProjectAdministrator: true,
  beyondProjects: true,
} as const;

@ApiTags('Projects')
@Controller('projects/:projectIdOrKey')
export class ProjectMembersController {
  constructor(
    private readonly projects: ProjectsService,
    private readonly members: ProjectMembersService,
  ) {}

  @Get('users')
  @Operation({ summary: 'List the members of a project', description: 'Ordered by id.', returns: [UserDto] })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  async listProjectUsers(
    @PathResource() project: VisibleProject,
    @Query() { excludeGroupMembers, fields }: ListProjectUsersQuery,
  ): Promise<UserDto[]> {
    const members = await this.projects.getMembers(project.id, excludeGroupMembers ? 'direct' : undefined);
    return selectFields(members, fields);
  }

  @Post('users')
  @Operation({
    summary: 'Add a member to a project',
    description:
      'Only Administrators and administrators of the project may do this. The user is notified unless already a member through a team.',
    returns: UserDto,
  })
  @Access(CHANGE)
  addProjectUser(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ProjectMemberDto,
  ): Promise<UserDto> {
    return this.members.add(project.id, caller, body.userId);
  }

  @Delete('users')
  @Operation({
    summary: 'Remove a member from a project',
    description:
      'Only Administrators and administrators of the project may do this. The user keeps their issues and pull requests, and remains a member if in a team of the project.',
    returns: UserDto,
  })
  @Access(CHANGE)
  deleteProjectUser(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ProjectMemberDto,
  ): Promise<UserDto> {
    return this.members.remove(project.id, caller, body.userId);
  }

  @Get('administrators')
  @Operation({
    summary: 'List the administrators of a project',
    description: 'Ordered by id.',
    returns: [UserDto],
  })
  @Access({ roles: EVERYONE, resource: ProjectLoader })
  listProjectAdministrators(@PathResource() project: VisibleProject): Promise<UserDto[]> {
    return this.projects.getAdministrators(project.id);
  }

  @Post('administrators')
  @Operation({
    summary: 'Make a member an administrator of a project',
    description:
      'Only Administrators may do this. The user must be a direct member; membership through a team is not enough.',
    returns: UserDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader })
  addProjectAdministrator(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ProjectMemberDto,
  ): Promise<UserDto> {
    return this.members.addAdministrator(project.id, caller, body.userId);
  }

  @Delete('administrators')
  @Operation({
    summary: 'Make a project administrator an ordinary member',
    description: 'Only Administrators may do this.',
    returns: UserDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: ProjectLoader })
  deleteProjectAdministrator(
    @PathResource() project: VisibleProject,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: ProjectMemberDto,
  ): Promise<UserDto> {
    return this.members.removeAdministrator(project.id, caller, body.userId);
  }
}
