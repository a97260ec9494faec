import { Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller, CurrentRequester, PathResource } from '../access/access';
import { type Requester } from '../event-loop/user-turns';
import { CountDto } from '../http/response/count.dto';
import { type Page } from '../paging/page';
import { selectFields } from '../http/request/selected-fields';
import { Operation } from '../openapi/operation';
import { type Caller } from '../access/caller';
import { EVERYONE } from '../access/role-type';
import { CountNotificationsQuery, ListNotificationsQuery } from './dto/notification-queries.dto';
import { UserNotificationDto } from './dto/user-notification.dto';
import { NotificationListsService } from './notification-lists.service';
import { NotificationLoader, type NotificationResource } from './notification.loader';
import { UserNotificationsService } from './user-notifications.service';

@ApiTags('Notifications')
@Controller('notifications')
export class NotificationsController {
  constructor(
    private readonly lists: NotificationListsService,
    private readonly notifications: UserNotificationsService,
  ) {}

  @Get()
  @Operation({
    summary: "List the caller's notifications",
    description:
      'Notifications of projects that the caller may see, newest first unless `order` is `asc`. Reading them does not mark them as read.',
    returns: [UserNotificationDto],
  })
  @Access({ roles: EVERYONE })
  async listNotifications(
    @CurrentCaller() caller: Caller,
    @Query() query: ListNotificationsQuery,
    @CurrentRequester() requester: Requester,
  ): Promise<Page<UserNotificationDto>> {
    return selectFields(await this.lists.list(caller, query, requester), query.fields);
  }

  @Get('count')
  @Operation({ summary: "Count the caller's notifications", returns: CountDto })
  @Access({ roles: EVERYONE })
  async countNotifications(
    @CurrentCaller() caller: Caller,
    @Query() query: CountNotificationsQuery,
  ): Promise<CountDto> {
    return { count: await this.notifications.count(caller, query) };
  }

  @Post('markAsRead')
  @Operation({
    summary: "Mark all of the caller's notifications as read",
    description: 'Returns the number of notifications that were unread.',
    returns: CountDto,
  })
  @Access({ roles: EVERYONE })
  async markNotificationsAsRead(@CurrentCaller() caller: Caller): Promise<CountDto> {
    return { count: await this.notifications.markAllAsRead(caller) };
  }

  @Post(':notificationId/markAsRead')
  @Operation({
    summary: 'Mark a notification as read',
    description: 'Also marks its subject as opened. Only the notified user may do this.',
    returns: 'nothing',
  })
  @Access({ roles: EVERYONE, resource: NotificationLoader })
  markNotificationAsRead(@PathResource() { id }: NotificationResource): Promise<void> {
    return this.notifications.markAsRead(id);
  }
}
