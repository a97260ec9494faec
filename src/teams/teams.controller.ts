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
      'All of the space, in the order of `displayOrder`. Administrators may, and administrators of any project.',
    returns: [TeamDto],
    paged: true,
  })
  @Access({ roles: [RoleType.Administrator], resource: AnyProjectLoader, orProjectAdministrator: true })
  listTeams(@Query() query: OffsetPageQuery): Promise<Page<TeamDto>> {
    return this.reader.list(query);
  }

  @Post()
  @Operation({
    summary: 'Add a team',
    description: 'Administrators may. It comes last.',
    returns: TeamDto,
    countLimit: ['team', 'teamMember'],
  })
  @Access({ roles: [RoleType.Administrator] })
  addTeam(@CurrentAuditedCaller() caller: AuditedCaller, @Body() body: AddTeamDto): Promise<TeamDto> {
    return this.teams.add(caller, body);
  }

  @Get(':teamId')
  @Operation({ summary: 'Get a team', description: 'Administrators may.', returns: TeamDto })
  @Access({ roles: [RoleType.Administrator], resource: TeamLoader })
  getTeam(@PathResource() team: TeamResource): Promise<TeamDto> {
    return this.reader.get(team.id);
  }

  @Patch(':teamId')
  @Operation({
    summary: 'Update a team',
    description:
      'Administrators may. `members` replaces the whole list. Who comes into the team becomes a member of its projects, and is ' +
      'notified; who leaves it stays a member of those alone where they are one in another way.',
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
    description: 'Administrators may. It leaves its projects.',
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
