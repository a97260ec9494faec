import { Body, Controller, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, PathResource } from '../access/access';
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
    @PathResource() user: UserResource,
    @Body() body: UpdateMailSettingsDto,
  ): Promise<MailSettingsDto> {
    return this.settings.update(user.id, body);
  }
}
