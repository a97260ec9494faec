import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { AuditLogModule } from '../audit-log/audit-log.module';
import { MailModule } from '../mail/mail.module';
import { ProjectsModule } from '../projects/projects.module';
import { SharedFilesModule } from '../shared-files/shared-files.module';
import { StarsModule } from '../stars/stars.module';
import { UsersModule } from '../users/users.module';
import { ViewsModule } from '../views/views.module';
import { WikiAttachmentLoader } from './attachments/wiki-attachment.loader';
import { WikiAttachmentsController } from './attachments/wiki-attachments.controller';
import { WikiAttachmentsService } from './attachments/wiki-attachments.service';
import { WikiHistoryRepository } from './data/wiki-history.repository';
import { WikiTagRepository } from './data/wiki-tag.repository';
import { WikiRepository } from './data/wiki.repository';
import { WikiHistoryRemovalService } from './history/wiki-history-removal.service';
import { WikiHistoryService } from './history/wiki-history.service';
import { RecentlyViewedWikisController } from './recently-viewed/recently-viewed-wikis.controller';
import { RecentlyViewedWikisService } from './recently-viewed/recently-viewed-wikis.service';
import { WikiSharedFileLoader } from './shared-files/wiki-shared-file.loader';
import { WikiSharedFilesController } from './shared-files/wiki-shared-files.controller';
import { WikiSharedFilesService } from './shared-files/wiki-shared-files.service';
import { WikiTagsService } from './tags/wiki-tags.service';
import { WikiLettersService } from './wiki-letters.service';
import { WikiListsService } from './wiki-lists.service';
import { WikiRemovalService } from './wiki-removal.service';
import { WikiLoader } from './wiki.loader';
import { WikisController } from './wikis.controller';
import { WikisService } from './wikis.service';
import { WikiSubjectService } from './wiki-subject.service';

/** Module of wiki pages with their history, tags and files. */
@Module({
  imports: [
    AuditLogModule,
    ProjectsModule,
    UsersModule,
    ViewsModule,
    AttachmentsModule,
    SharedFilesModule,
    CommentsModule,
    StarsModule,
    ActivitiesModule,
    MailModule,
  ],
  controllers: [
    WikisController,
    WikiAttachmentsController,
    WikiSharedFilesController,
    RecentlyViewedWikisController,
  ],
  providers: [
    WikiRepository,
    WikiHistoryRepository,
    WikiTagRepository,
    WikisService,
    WikiLettersService,
    WikiListsService,
    WikiHistoryService,
    WikiTagsService,
    WikiAttachmentsService,
    WikiSharedFilesService,
    WikiHistoryRemovalService,
    WikiRemovalService,
    WikiLoader,
    WikiAttachmentLoader,
    WikiSharedFileLoader,
    WikiSubjectService,
    RecentlyViewedWikisService,
  ],
  exports: [WikisService, WikiListsService],
})
export class WikisModule {}
