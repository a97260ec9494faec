import { Module } from '@nestjs/common';
import { CommentsModule } from '../comments/comments.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { NotificationListsService } from './notification-lists.service';
import { NotificationSubjectsService } from './notification-subjects.service';
import { NotificationLoader } from './notification.loader';
import { NotificationsController } from './notifications.controller';

/** Users' notifications, as responses show them with the things of the modules that register these. */
@Module({
  imports: [UsersModule, ProjectsModule, CommentsModule],
  controllers: [NotificationsController],
  providers: [NotificationSubjectsService, NotificationListsService, NotificationLoader],
  exports: [NotificationSubjectsService],
})
export class NotificationsModule {}
