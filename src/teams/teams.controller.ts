import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { OffsetPageQuery } from '../http/request/page-query';
import { Operation } from '../openapi/operation';
import { type Page } from '../paging/page';
import { AnyProjectLoader } from '../projects/any-project.loader';
import { AddTeamDto } from './dto/add-team.dto';
import { TeamDto } from './dto/team.dto';
import { UpdateTeamDto } from './dto/update-team.dto';
import { TeamReaderService } from './team-reader.service';
import { TeamLoader, type TeamResource } from './team.loader';
import { TeamsService } from './teams.service';

@ApiTags('Teams')
@Controller('teams')
export class TeamsController {
  constructor(
    private readonly teams: TeamsService,
    private readonly reader: TeamReaderService,
  ) {}

  @Get()
  @Operation({
    summary: 'List teams',
    description:
      'All teams of the space, ordered by `displayOrder`. Only Administrators and project administrators may do this.',
    returns: [TeamDto],
  })
  @Access({ roles: [RoleType.Administrator], resource: AnyProjectLoader, orProjectAdministrator: true })
  listTeams(@Query() query: OffsetPageQuery): Promise<Page<TeamDto>> {
    return this.reader.list(query);
  }

  @Post()
  @Operation({
    summary: 'Add a team',
    description: 'Only Administrators may do this. Adds the team after the existing ones.',
    returns: TeamDto,
    countLimit: ['team', 'teamMember'],
  })
  @Access({ roles: [RoleType.Administrator] })
  addTeam(@CurrentAuditedCaller() caller: AuditedCaller, @Body() body: AddTeamDto): Promise<TeamDto> {
    return this.teams.add(caller, body);
  }

  @Get(':teamId')
  @Operation({ summary: 'Get a team', description: 'Only Administrators may do this.', returns: TeamDto })
  @Access({ roles: [RoleType.Administrator], resource: TeamLoader })
  getTeam(@PathResource() team: TeamResource): Promise<TeamDto> {
    return this.reader.get(team.id);
  }

  @Patch(':teamId')
  @Operation({
    summary: 'Update a team',
    description:
      'Only Administrators may do this. `members` replaces the whole list. Users who join the team become members of its projects and are notified; users who leave it remain members only of projects that they also belong to in another way.',
    returns: TeamDto,
    countLimit: 'teamMember',
  })
  @Access({ roles: [RoleType.Administrator], resource: TeamLoader })
  updateTeam(
    @PathResource() team: TeamResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() body: UpdateTeamDto,
  ): Promise<TeamDto> {
    return this.teams.update(caller, team.id, body);
  }

  @Delete(':teamId')
  @Operation({
    summary: 'Delete a team',
    description: 'Only Administrators may do this. The team is removed from its projects.',
    returns: TeamDto,
  })
  @Access({ roles: [RoleType.Administrator], resource: TeamLoader })
  deleteTeam(
    @PathResource() team: TeamResource,
    @CurrentAuditedCaller() caller: AuditedCaller,
  ): Promise<TeamDto> {
    return this.teams.remove(caller, team.id);
  }
}
