import { Module } from '@nestjs/common';
import { ProjectsModule } from '../projects/projects.module';
import { UsersModule } from '../users/users.module';
import { ActivitiesController } from './activities.controller';
import { ActivitiesService } from './activities.service';
import { ActivityListsService } from './activity-lists.service';
import { ActivityRemovalService } from './activity-removal.service';
import { ActivityRetentionService } from './activity-retention.service';
import { ActivityLoader } from './activity.loader';
import { ActivityListRepository } from './data/activity-list.repository';
import { ActivityRepository } from './data/activity.repository';
import { ActivityTextRepository } from './data/activity-text.repository';

/** Records and lists the activities of projects. */
@Module({
  imports: [ProjectsModule, UsersModule],
  controllers: [ActivitiesController],
  providers: [
    ActivitiesService,
    ActivityListsService,
    ActivityRemovalService,
    ActivityRetentionService,
    ActivityLoader,
    ActivityRepository,
    ActivityListRepository,
    ActivityTextRepository,
  ],
  exports: [ActivitiesService, ActivityRetentionService],
})
export class ActivitiesModule {}
