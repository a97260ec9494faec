import { Body, Controller, Delete, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller, PathResource } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { EVERYONE, RoleType } from '../access/role-type';
import { NOT_OF_THE_FAMILY } from '../openapi/not-of-the-family';
import { Operation } from '../openapi/operation';
import { ActiveUserLoader, type UserResource } from '../users/user.loader';
import { MailSettingsDto } from './dto/mail-settings.dto';
import { UpdateMailSettingsDto } from './dto/update-mail-settings.dto';
import { MailSettingsService } from './mail-settings.service';

@ApiTags('Users')
@Controller('users/:userId/mailSettings')
export class MailSettingsController {
  constructor(private readonly settings: MailSettingsService) {}

  @Get()
  @Operation({
    summary: 'Get what letters a user gets',
    description: `Administrators may do this for any user, others only for themselves. ${NOT_OF_THE_FAMILY}`,
    returns: MailSettingsDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    beyondProjects: true,
  })
  getMailSettings(@PathResource() user: UserResource): Promise<MailSettingsDto> {
    return this.settings.get(user.id);
  }

  @Patch()
  @Operation({
    summary: 'Change what letters a user gets',
    description: `Users may do this only for themselves. ${NOT_OF_THE_FAMILY}`,
    returns: MailSettingsDto,
  })
  @Access({ roles: EVERYONE, resource: ActiveUserLoader, ownerOnly: true, beyondProjects: true })
  updateMailSettings(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
    @Body() body: UpdateMailSettingsDto,
  ): Promise<MailSettingsDto> {
    return this.settings.update(caller, user.id, body);
  }

  @Delete('pause')
  @Operation({
    summary: 'Send letters again to a refused mail address',
    description: `Ends the pause of an address that the mail server has refused, if it is paused. Administrators may do this for any user, others only for themselves. ${NOT_OF_THE_FAMILY}`,
    returns: MailSettingsDto,
  })
  @Access({
    roles: [RoleType.Administrator],
    resource: ActiveUserLoader,
    orOwner: true,
    beyondProjects: true,
  })
  deleteMailPause(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @PathResource() user: UserResource,
  ): Promise<MailSettingsDto> {
    return this.settings.resume(caller, user.id);
  }
}
