import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { ProjectsModule } from '../projects/projects.module';
import { StarsModule } from '../stars/stars.module';
import { UsersModule } from '../users/users.module';
import { WikiAttachmentLoader } from './wiki-attachment.loader';
import { WikiAttachmentsController } from './wiki-attachments.controller';
import { WikiAttachmentsService } from './wiki-attachments.service';
import { WikiHistoryRemovalService } from './wiki-history-removal.service';
import { WikiListsService } from './wiki-lists.service';
import { WikiRemovalService } from './wiki-removal.service';
import { WikiLoader } from './wiki.loader';
import { WikiTagsService } from './wiki-tags.service';
import { WikisController } from './wikis.controller';
import { WikisService } from './wikis.service';
import { WikiSubjectService } from './wiki-subject.service';

/** Wiki pages with their history, tags and files. */
@Module({
  imports: [ProjectsModule, UsersModule, AttachmentsModule, CommentsModule, StarsModule, ActivitiesModule],
  controllers: [WikisController, WikiAttachmentsController],
  providers: [
    WikisService,
    WikiListsService,
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
