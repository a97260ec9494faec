import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { GitRepositoriesModule } from '../git-repositories/git-repositories.module';
import { IssuesModule } from '../issues/issues.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ProjectsModule } from '../projects/projects.module';
import { StarsModule } from '../stars/stars.module';
import { UsersModule } from '../users/users.module';
import { PullRequestSubjectService } from './pull-request-subject.service';
import { PullRequestAttachmentLoader } from './attachments/pull-request-attachment.loader';
import { PullRequestAttachmentsController } from './attachments/pull-request-attachments.controller';
import { PullRequestAttachmentsService } from './attachments/pull-request-attachments.service';
import { PullRequestCommentLoader } from './comments/pull-request-comment.loader';
import { PullRequestCommentsController } from './comments/pull-request-comments.controller';
import { PullRequestCommentsService } from './comments/pull-request-comments.service';
import { PullRequestContentsController } from './contents/pull-request-contents.controller';
import { PullRequestContentsService } from './contents/pull-request-contents.service';
import { PullRequestRepository } from './data/pull-request.repository';
import { PullRequestEventsService } from './pull-request-events.service';
import { PullRequestReaderService } from './pull-request-reader.service';
import { PullRequestRemovalService } from './pull-request-removal.service';
import { PullRequestSearchService } from './search/pull-request-search.service';
import { PullRequestUpdateService } from './changes/pull-request-update.service';
import { PullRequestWriterService } from './changes/pull-request-writer.service';
import { BranchHeadsService } from './merging/branch-heads.service';
import { MergeCommitsService } from './merging/merge-commits.service';
import { PullRequestHeadsService } from './merging/pull-request-heads.service';
import { PullRequestMergeService } from './merging/pull-request-merge.service';
import { PullRequestPushesService } from './merging/pull-request-pushes.service';
import { ReachedCommitsService } from './merging/reached-commits.service';
import { PullRequestLoader } from './pull-request.loader';
import { PullRequestsController } from './pull-requests.controller';
import { PullRequestsService } from './pull-requests.service';

/** Pull requests with their comments and their files. */
@Module({
  imports: [
    UsersModule,
    ProjectsModule,
    GitRepositoriesModule,
    IssuesModule,
    CommentsModule,
    NotificationsModule,
    StarsModule,
    AttachmentsModule,
    ActivitiesModule,
  ],
  controllers: [
    PullRequestsController,
    PullRequestCommentsController,
    PullRequestAttachmentsController,
    PullRequestContentsController,
  ],
  providers: [
    PullRequestRepository,
    PullRequestsService,
    PullRequestUpdateService,
    PullRequestWriterService,
    PullRequestMergeService,
    PullRequestPushesService,
    PullRequestHeadsService,
    BranchHeadsService,
    MergeCommitsService,
    ReachedCommitsService,
    PullRequestSearchService,
    PullRequestReaderService,
    PullRequestEventsService,
    PullRequestCommentsService,
    PullRequestAttachmentsService,
    PullRequestRemovalService,
    PullRequestLoader,
    PullRequestCommentLoader,
    PullRequestAttachmentLoader,
    PullRequestSubjectService,
    PullRequestContentsService,
  ],
  exports: [PullRequestsService, PullRequestReaderService, PullRequestCommentsService],
})
export class PullRequestsModule {}
