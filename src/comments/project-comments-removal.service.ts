import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { CommentThreadRepository } from './data/comment-thread.repository';
import { ThreadRemovalService } from './thread-removal.service';

/** Removes the threads of deleted projects with their contents. */
@Injectable()
export class ProjectCommentsRemovalService implements OnModuleInit {
  constructor(
    private readonly projectRemoval: ProjectRemovalService,
    private readonly threadRemoval: ThreadRemovalService,
    private readonly threads: CommentThreadRepository,
  ) {}

  onModuleInit(): void {
    this.projectRemoval.register('comments', (manager, projectId, limit) =>
      this.removeThreads(manager, projectId, limit),
    );
  }

  private async removeThreads(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const threadIds = await this.threads.findIdsOfProject(manager, projectId, limit);
    if (threadIds.length === 0) return 0;
    const removed = await this.threadRemoval.removeContent(manager, threadIds, limit);
    if (removed >= limit) return removed;
    await this.threads.delete(manager, threadIds);
    return threadIds.length;
  }
}
