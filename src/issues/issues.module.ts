import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { GitRepositoriesModule } from '../git-repositories/git-repositories.module';
import { ProjectSettingsModule } from '../project-settings/project-settings.module';
import { NotificationsModule } from '../notifications/notifications.module';
import { ProjectsModule } from '../projects/projects.module';
import { SearchIndexModule } from '../search-index/search-index.module';
import { SharedFilesModule } from '../shared-files/shared-files.module';
import { StarsModule } from '../stars/stars.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { UsersModule } from '../users/users.module';
import { ViewsModule } from '../views/views.module';
import { IssueSubjectService } from './issue-subject.service';
import { IssueAttachmentLoader } from './attachments/issue-attachment.loader';
import { IssueAttachmentsController } from './attachments/issue-attachments.controller';
import { IssueAttachmentsService } from './attachments/issue-attachments.service';
import { CustomFieldsModule } from '../custom-fields/custom-fields.module';
import { IssueCustomFieldsService } from './custom-fields/issue-custom-fields.service';
import { IssueCustomFieldSearchService } from './custom-fields/issue-custom-field-search.service';
import { IssueCustomFieldRepository } from './data/issue-custom-field.repository';
import { IssueCommentLoader } from './comments/issue-comment.loader';
import { IssueCommentsController } from './comments/issue-comments.controller';
import { IssueCommentsService } from './comments/issue-comments.service';
import { IssueParticipantsController } from './comments/issue-participants.controller';
import { IssueParticipantsService } from './comments/issue-participants.service';
import { IssueCommitsService } from './commits/issue-commits.service';
import { IssueHierarchyService } from './changes/issue-hierarchy.service';
import { IssueNamesService } from './changes/issue-names.service';
import { IssueCommitRepository } from './data/issue-commit.repository';
import { IssueSearchRepository } from './data/issue-search.repository';
import { IssueKeywordRepository } from './data/issue-keyword.repository';
import { IssueListsRepository } from './data/issue-lists.repository';
import { IssueLookupRepository } from './data/issue-lookup.repository';
import { IssueRepository } from './data/issue.repository';
import { RelatedIssueRepository } from './data/related-issue.repository';
import { WatchingRepository } from './data/watching.repository';
import { IssueSharedFileLoader } from './shared-files/issue-shared-file.loader';
import { IssueSharedFilesController } from './shared-files/issue-shared-files.controller';
import { IssueSharedFilesService } from './shared-files/issue-shared-files.service';
import { IssueImportsController } from './imports/issue-imports.controller';
import { PastIssueChangesService } from './imports/past-issue-changes.service';
import { IssueReaderService } from './issue-reader.service';
import { IssueRemovalService } from './issue-removal.service';
import { IssueSearchService } from './search/issue-search.service';
import { IssueSettingsListener } from './issue-settings.listener';
import { IssueUpdateService } from './changes/issue-update.service';
import { DescribedIssueLoader, IssueLoader, WholeIssueLoader } from './issue.loader';
import { IssuesController } from './issues.controller';
import { IssuesService } from './issues.service';
import { NamedIssueService } from './named-issue.service';
import { RecentlyViewedIssuesController } from './recently-viewed/recently-viewed-issues.controller';
import { RecentlyViewedIssuesService } from './recently-viewed/recently-viewed-issues.service';
import { RelatedIssueLoader } from './relations/related-issue.loader';
import { RelatedIssuesController } from './relations/related-issues.controller';
import { RelatedIssuesService } from './relations/related-issues.service';
import { WatchersService } from './watchings/watchers.service';
import { WatchingLoader } from './watchings/watching.loader';
import { WatchingsController } from './watchings/watchings.controller';
import { WatchingsService } from './watchings/watchings.service';

/** Module of issues with their comments, files and watchings. */
@Module({
  imports: [
    AuditLogModule,
    UsersModule,
    ViewsModule,
    ProjectsModule,
    ProjectSettingsModule,
    CustomFieldsModule,
    CommentsModule,
    NotificationsModule,
    StarsModule,
    AttachmentsModule,
    SharedFilesModule,
    ActivitiesModule,
    GitRepositoriesModule,
    SearchIndexModule,
  ],
  controllers: [
    IssuesController,
    IssueImportsController,
    IssueCommentsController,
    IssueAttachmentsController,
    IssueSharedFilesController,
    IssueParticipantsController,
    RelatedIssuesController,
    WatchingsController,
    RecentlyViewedIssuesController,
  ],
  providers: [
    IssueRepository,
    IssueListsRepository,
    IssueCustomFieldRepository,
    IssueCommitRepository,
    IssueCommitsService,
    IssueCustomFieldsService,
    IssueCustomFieldSearchService,
    IssueLookupRepository,
    IssueSearchRepository,
    IssueKeywordRepository,
    IssueHierarchyService,
    IssueNamesService,
    IssuesService,
    IssueUpdateService,
    PastIssueChangesService,
    IssueSearchService,
    IssueReaderService,
    IssueRemovalService,
    IssueCommentsService,
    IssueAttachmentsService,
    IssueSharedFilesService,
    IssueParticipantsService,
    IssueLoader,
    DescribedIssueLoader,
    WholeIssueLoader,
    IssueCommentLoader,
    IssueAttachmentLoader,
    IssueSharedFileLoader,
    IssueSettingsListener,
    IssueSubjectService,
    NamedIssueService,
    RelatedIssueRepository,
    RelatedIssuesService,
    RelatedIssueLoader,
    WatchingRepository,
    WatchersService,
    WatchingsService,
    WatchingLoader,
    RecentlyViewedIssuesService,
  ],
  exports: [IssuesService, IssueReaderService, IssueSearchService, IssueCommentsService, WatchingsService],
})
export class IssuesModule {}
