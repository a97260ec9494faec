import { Module } from '@nestjs/common';
import { ActivitiesModule } from '../activities/activities.module';
import { AttachmentsModule } from '../attachments/attachments.module';
import { CommentsModule } from '../comments/comments.module';
import { ProjectsModule } from '../projects/projects.module';
import { WikiResolver } from './wiki.resolver';
import { WikisController } from './wikis.controller';
import { WikisService } from './wikis.service';

/** Wiki pages and their files: spec 4.7. */
@Module({
  imports: [ProjectsModule, AttachmentsModule, CommentsModule, ActivitiesModule],
  controllers: [WikisController],
  providers: [WikisService, WikiResolver],
  exports: [WikisService],
})
export class WikisModule {}
