import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { CommentBuilderService } from './comment-builder.service';
import { CommentPostingService } from './comment-posting.service';
import { CommentsService } from './comments.service';
import { CommentThreadRepository } from './data/comment-thread.repository';
import { CommentRepository } from './data/comment.repository';
import { NotificationRepository } from './data/notification.repository';
import { StarRepository } from './data/star.repository';
import { UserNotificationRepository } from './data/user-notification.repository';
import { NotificationsService } from './notifications.service';
import { ProjectCommentsRemovalService } from './project-comments-removal.service';
import { StarsService } from './stars.service';
import { ThreadRemovalService } from './thread-removal.service';
import { UserNotificationsService } from './user-notifications.service';

/** Storage of the comments, stars and notifications of issues, pull requests and wiki pages. */
@Module({
  imports: [UsersModule, ProjectsModule, AttachmentsModule, ActivitiesModule],
  providers: [
    CommentRepository,
    CommentThreadRepository,
    NotificationRepository,
    UserNotificationRepository,
    StarRepository,
    CommentBuilderService,
    CommentsService,
    CommentPostingService,
    NotificationsService,
    UserNotificationsService,
    StarsService,
    ThreadRemovalService,
    ProjectCommentsRemovalService,
  ],
  exports: [
    CommentsService,
    CommentPostingService,
    NotificationsService,
    UserNotificationsService,
    StarsService,
  ],
})
export class CommentsModule {}
