import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { NotificationRepository } from './data/notification.repository';

/** Removes the notifications about deleted projects themselves; those of threads are removed with the threads. */
@Injectable()
export class NotificationRemovalService implements OnModuleInit {
  constructor(
    private readonly projectRemoval: ProjectRemovalService,
    private readonly notifications: NotificationRepository,
  ) {}

  onModuleInit(): void {
    this.projectRemoval.register('notifications', (manager, projectId, limit) =>
      this.notifications.deleteOfProject(manager, projectId, limit),
    );
  }
}
