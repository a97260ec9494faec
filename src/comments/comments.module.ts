import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ProjectsModule } from '../projects/projects.module';
import { SearchIndexModule } from '../search-index/search-index.module';
import { StarsModule } from '../stars/stars.module';
import { UsersModule } from '../users/users.module';
import { CommentBuilderService } from './comment-builder.service';
import { CommentPostingService } from './comment-posting.service';
import { CommentSubjectService } from './comment-subject.service';
import { CommentsService } from './comments.service';
import { CommentSearchRepository } from './data/comment-search.repository';
import { CommentThreadRepository } from './data/comment-thread.repository';
import { CommentRepository } from './data/comment.repository';
import { ProjectCommentsRemovalService } from './project-comments-removal.service';
import { ThreadRemovalService } from './thread-removal.service';

/** Module of the threads of issues, pull requests, wiki pages and documents, and their comments, stars and notifications. */
@Module({
  imports: [
    UsersModule,
    ProjectsModule,
    StarsModule,
    NotificationsModule,
    AttachmentsModule,
    ActivitiesModule,
    SearchIndexModule,
  ],
  providers: [
    CommentRepository,
    CommentSearchRepository,
    CommentThreadRepository,
    CommentBuilderService,
    CommentsService,
    CommentPostingService,
    CommentSubjectService,
    ThreadRemovalService,
    ProjectCommentsRemovalService,
  ],
  exports: [CommentsService, CommentPostingService],
})
export class CommentsModule {}
