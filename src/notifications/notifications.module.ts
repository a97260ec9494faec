import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { NotificationRepository } from './data/notification.repository';
import { UserNotificationRepository } from './data/user-notification.repository';
import { NotificationListsService } from './notification-lists.service';
import { NotificationRemovalService } from './notification-removal.service';
import { NotificationSubjectsService } from './notification-subjects.service';
import { NotificationRetentionService } from './notification-retention.service';
import { NotificationLoader } from './notification.loader';
import { NotificationsController } from './notifications.controller';
import { NotificationsService } from './notifications.service';
import { UserNotificationsService } from './user-notifications.service';

/** Notifications of users, and their representation in responses with the resources that other modules register. */
@Module({
  imports: [UsersModule, ProjectsModule],
  controllers: [NotificationsController],
  providers: [
    NotificationRepository,
    UserNotificationRepository,
    NotificationsService,
    UserNotificationsService,
    NotificationSubjectsService,
    NotificationListsService,
    NotificationRemovalService,
    NotificationRetentionService,
    NotificationLoader,
  ],
  exports: [NotificationsService, NotificationSubjectsService, NotificationListsService],
})
export class NotificationsModule {}
