import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { CommentsService } from './comments.service';
import { NotificationsService } from './notifications.service';
import { ProjectCommentsRemovalService } from './project-comments-removal.service';
import { StarsService } from './stars.service';
import { ThreadRemovalService } from './thread-removal.service';
import { UserNotificationsService } from './user-notifications.service';

/** Comments, stars and notifications as issues, pull requests and wiki pages share them. */
@Module({
  imports: [UsersModule, ProjectsModule],
  providers: [
    CommentsService,
    NotificationsService,
    UserNotificationsService,
    StarsService,
    ThreadRemovalService,
    ProjectCommentsRemovalService,
  ],
  exports: [CommentsService, NotificationsService, UserNotificationsService, StarsService],
})
export class CommentsModule {}
