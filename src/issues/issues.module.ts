import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { IssueAttachmentLoader } from './issue-attachment.loader';
import { IssueAttachmentsController } from './issue-attachments.controller';
import { IssueAttachmentsService } from './issue-attachments.service';
import { IssueCommentLoader } from './issue-comment.loader';
import { IssueCommentsController } from './issue-comments.controller';
import { IssueCommentsService } from './issue-comments.service';
import { IssueParticipantsController } from './issue-participants.controller';
import { IssueParticipantsService } from './issue-participants.service';
import { IssueReaderService } from './issue-reader.service';
import { IssueRemovalService } from './issue-removal.service';
import { IssueSearchService } from './issue-search.service';
import { IssueSettingsListener } from './issue-settings.listener';
import { IssueUpdateService } from './issue-update.service';
import { DescribedIssueLoader, IssueLoader } from './issue.loader';
import { IssuesController } from './issues.controller';
import { IssuesService } from './issues.service';

/** Issues, their comments and their files. */
@Module({
  imports: [
    UsersModule,
    ProjectsModule,
    ProjectSettingsModule,
    CommentsModule,
    AttachmentsModule,
    ActivitiesModule,
  ],
  controllers: [
    IssuesController,
    IssueCommentsController,
    IssueAttachmentsController,
    IssueParticipantsController,
  ],
  providers: [
    IssuesService,
    IssueUpdateService,
    IssueSearchService,
    IssueReaderService,
    IssueRemovalService,
    IssueCommentsService,
    IssueAttachmentsService,
    IssueParticipantsService,
    IssueLoader,
    DescribedIssueLoader,
    IssueCommentLoader,
    IssueAttachmentLoader,
    IssueSettingsListener,
  ],
  exports: [IssuesService, IssueCommentsService],
})
export class IssuesModule {}
