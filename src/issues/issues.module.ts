import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ProjectsModule } from '../projects/projects.module';
import { StarsModule } from '../stars/stars.module';
import { UsersModule } from '../users/users.module';
import { IssueSubjectService } from './issue-subject.service';
import { IssueAttachmentLoader } from './attachments/issue-attachment.loader';
import { IssueAttachmentsController } from './attachments/issue-attachments.controller';
import { IssueAttachmentsService } from './attachments/issue-attachments.service';
import { IssueCommentLoader } from './comments/issue-comment.loader';
import { IssueCommentsController } from './comments/issue-comments.controller';
import { IssueCommentsService } from './comments/issue-comments.service';
import { IssueParticipantsController } from './comments/issue-participants.controller';
import { IssueParticipantsService } from './comments/issue-participants.service';
import { IssueHierarchyService } from './changes/issue-hierarchy.service';
import { IssueNamesService } from './changes/issue-names.service';
import { IssueSearchRepository } from './data/issue-search.repository';
import { IssueListsRepository } from './data/issue-lists.repository';
import { IssueLookupRepository } from './data/issue-lookup.repository';
import { IssueRepository } from './data/issue.repository';
import { IssueReaderService } from './issue-reader.service';
import { IssueRemovalService } from './issue-removal.service';
import { IssueSearchService } from './search/issue-search.service';
import { IssueSettingsListener } from './issue-settings.listener';
import { IssueUpdateService } from './changes/issue-update.service';
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
    NotificationsModule,
    StarsModule,
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
    IssueRepository,
    IssueListsRepository,
    IssueLookupRepository,
    IssueSearchRepository,
    IssueHierarchyService,
    IssueNamesService,
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
    IssueSubjectService,
  ],
  exports: [IssuesService, IssueCommentsService],
})
export class IssuesModule {}
