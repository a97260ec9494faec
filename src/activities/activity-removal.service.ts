import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { ActivityRepository } from './data/activity.repository';
import { ActivityTextRepository } from './data/activity-text.repository';

/** Removes the activities of deleted projects, and then the texts that they referenced. */
@Injectable()
export class ActivityRemovalService implements OnModuleInit {
  constructor(
    private readonly removal: ProjectRemovalService,
    private readonly activities: ActivityRepository,
    private readonly texts: ActivityTextRepository,
  ) {}

  onModuleInit(): void {
    for (const rows of [this.activities, this.texts]) {
      this.removal.register('activities', (manager, projectId, limit) =>
        rows.removeSome(manager, projectId, limit),
      );
    }
  }
}
