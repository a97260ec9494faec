import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { IssueAttachmentResolver } from './issue-attachment.resolver';
import { IssueAttachmentsController } from './issue-attachments.controller';
import { IssueAttachmentsService } from './issue-attachments.service';
import { IssueCommentResolver } from './issue-comment.resolver';
import { IssueCommentsController } from './issue-comments.controller';
import { IssueCommentsService } from './issue-comments.service';
import { IssueParticipantsController } from './issue-participants.controller';
import { IssueParticipantsService } from './issue-participants.service';
import { IssueReaderService } from './issue-reader.service';
import { IssueRemovalService } from './issue-removal.service';
import { IssueSearchService } from './issue-search.service';
import { IssueSettingsListener } from './issue-settings.listener';
import { IssueUpdateService } from './issue-update.service';
import { DescribedIssueResolver, IssueResolver } from './issue.resolver';
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
    IssueResolver,
    DescribedIssueResolver,
    IssueCommentResolver,
    IssueAttachmentResolver,
    IssueSettingsListener,
  ],
  exports: [IssuesService, IssueCommentsService],
})
export class IssuesModule {}
