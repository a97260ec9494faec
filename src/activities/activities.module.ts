import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { ActivitiesController } from './activities.controller';
import { ActivitiesService } from './activities.service';
import { ActivityListsService } from './activity-lists.service';
import { ActivityRemovalService } from './activity-removal.service';
import { ActivityLoader } from './activity.loader';

/** The record of what happened in projects. */
@Module({
  imports: [ProjectsModule, UsersModule],
  controllers: [ActivitiesController],
  providers: [ActivitiesService, ActivityListsService, ActivityRemovalService, ActivityLoader],
  exports: [ActivitiesService],
})
export class ActivitiesModule {}
