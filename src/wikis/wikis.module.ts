import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { ProjectsModule } from '../projects/projects.module';
import { StarsModule } from '../stars/stars.module';
import { UsersModule } from '../users/users.module';
import { WikiAttachmentLoader } from './attachments/wiki-attachment.loader';
import { WikiAttachmentsController } from './attachments/wiki-attachments.controller';
import { WikiAttachmentsService } from './attachments/wiki-attachments.service';
import { WikiHistoryRepository } from './data/wiki-history.repository';
import { WikiTagRepository } from './data/wiki-tag.repository';
import { WikiRepository } from './data/wiki.repository';
import { WikiHistoryRemovalService } from './history/wiki-history-removal.service';
import { WikiHistoryService } from './history/wiki-history.service';
import { WikiTagsService } from './tags/wiki-tags.service';
import { WikiListsService } from './wiki-lists.service';
import { WikiRemovalService } from './wiki-removal.service';
import { WikiLoader } from './wiki.loader';
import { WikisController } from './wikis.controller';
import { WikisService } from './wikis.service';
import { WikiSubjectService } from './wiki-subject.service';

/** Wiki pages with their history, tags and files. */
@Module({
  imports: [ProjectsModule, UsersModule, AttachmentsModule, CommentsModule, StarsModule, ActivitiesModule],
  controllers: [WikisController, WikiAttachmentsController],
  providers: [
    WikiRepository,
    WikiHistoryRepository,
    WikiTagRepository,
    WikisService,
    WikiListsService,
    WikiHistoryService,
    WikiTagsService,
    WikiAttachmentsService,
    WikiHistoryRemovalService,
    WikiRemovalService,
    WikiLoader,
    WikiAttachmentLoader,
    WikiSubjectService,
  ],
  exports: [WikisService],
})
export class WikisModule {}
