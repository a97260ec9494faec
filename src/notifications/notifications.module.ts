import { Module } from '@nestjs/common';
import { CommentsModule } from '../comments/comments.module';
import { IssuesModule } from '../issues/issues.module';
import { ProjectsModule } from '../projects/projects.module';
import { PullRequestsModule } from '../pull-requests/pull-requests.module';
import { UsersModule } from '../users/users.module';
import { NotificationListsService } from './notification-lists.service';
import { NotificationLoader } from './notification.loader';
import { NotificationsController } from './notifications.controller';

/** What users have been told, as they are shown it. */
@Module({
  imports: [UsersModule, ProjectsModule, CommentsModule, IssuesModule, PullRequestsModule],
  controllers: [NotificationsController],
  providers: [NotificationListsService, NotificationLoader],
})
export class NotificationsModule {}
