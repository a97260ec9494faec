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
import { TeamLoader, type TeamResource } from '../teams/team.loader';
import { ICON_LIMITS, TakesIcon } from './icon-upload';
import { IconsService } from './icons.service';
import { TeamIconSubject } from './subjects/team-icon.subject';

@ApiTags('Teams')
@Controller('teams/:teamId/icon')
export class TeamIconController {
  constructor(
    private readonly icons: IconsService,
    private readonly subject: TeamIconSubject,
  ) {}

  @Get()
  @Operation({
    summary: 'Get the icon of a team',
    description:
      'Returns the uploaded icon, or a generated one. Guests see only those of the teams of their projects.',
    returns: 'image',
  })
  @Access({ roles: EVERYONE, resource: TeamLoader })
  @CountsAs('icon')
  getTeamIcon(@PathResource() { id }: TeamResource): Promise<FileAnswer> {
    return this.icons.get(this.subject, id);
  }

  @Put()
  @Operation({
    summary: 'Upload the icon of a team',
    description: `Only Administrators may do this. ${ICON_LIMITS}`,
    returns: 'nothing',
    countLimit: 'unattachedFile',
  })
  @TakesIcon()
  @Access({ roles: [RoleType.Administrator], resource: TeamLoader })
  updateTeamIcon(
    @Req() request: ReadRequest,
    @CurrentCaller() caller: Caller,
    @PathResource() { id }: TeamResource,
  ): Promise<void> {
    return this.icons.update(request, caller, this.subject, id);
  }

  @Delete()
  @Operation({
    summary: 'Remove the uploaded icon of a team',
    description: `Restores the generated icon. Only Administrators may do this. ${NOT_OF_THE_FAMILY}`,
    returns: 'nothing',
  })
  @Access({ roles: [RoleType.Administrator], resource: TeamLoader })
  deleteTeamIcon(@PathResource() { id }: TeamResource): Promise<void> {
    return this.icons.remove(this.subject, id);
  }
}
