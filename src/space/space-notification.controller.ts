import { Body, Controller, Get, Put } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentAuditedCaller } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { EVERYONE, RoleType } from '../access/role-type';
import { Operation } from '../openapi/operation';
import { SpaceNotificationDto, UpdateSpaceNotificationDto } from './dto/space-notification.dto';
import { SpaceNotificationService } from './space-notification.service';

@ApiTags('Space')
@Controller('space/notification')
export class SpaceNotificationController {
  constructor(private readonly notification: SpaceNotificationService) {}

  @Get()
  @Operation({ summary: 'Get the notification of the space', returns: SpaceNotificationDto })
  @Access({ roles: EVERYONE })
  getSpaceNotification(): Promise<SpaceNotificationDto> {
    return this.notification.get();
  }

  @Put()
  @Operation({
    summary: 'Update the notification of the space',
    description: 'Only Administrators may do this.',
    returns: SpaceNotificationDto,
  })
  @Access({ roles: [RoleType.Administrator] })
  updateSpaceNotification(
    @CurrentAuditedCaller() caller: AuditedCaller,
    @Body() { content }: UpdateSpaceNotificationDto,
  ): Promise<SpaceNotificationDto> {
    return this.notification.update(caller, content);
  }
}
