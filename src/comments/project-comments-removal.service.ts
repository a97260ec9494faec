import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { inList } from '../database/statements';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { ThreadRemovalService } from './thread-removal.service';

/** Removes the threads of deleted projects with all that hangs on them, and what users have been told of the projects. */
@Injectable()
export class ProjectCommentsRemovalService implements OnModuleInit {
  constructor(
    private readonly projectRemoval: ProjectRemovalService,
    private readonly threadRemoval: ThreadRemovalService,
  ) {}

  onModuleInit(): void {
    this.projectRemoval.register('comments', (manager, projectId, limit) =>
      this.removeThreads(manager, projectId, limit),
    );
    this.projectRemoval.register('comments', (manager, projectId, limit) =>
      this.removeNotifications(manager, projectId, limit),
    );
  }

  private async removeThreads(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM comment_thread WHERE project_id = ? ORDER BY id LIMIT ${limit}`,
      [projectId],
    );
    if (rows.length === 0) return 0;
    const threadIds = rows.map((row) => row.id);
    const removed = await this.threadRemoval.removeContent(manager, threadIds, limit);
    if (removed >= limit) return removed;
    await this.threadRemoval.removeEmpty(manager, threadIds);
    return rows.length;
  }

  /** Those of no thread; by the index on threads, for there is none on projects, and few such notifications. */
  private async removeNotifications(
    manager: EntityManager,
    projectId: number,
    limit: number,
  ): Promise<number> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM notification WHERE thread_id IS NULL AND project_id = ? LIMIT ${limit}`,
      [projectId],
    );
    if (rows.length === 0) return 0;
    const list = inList(rows.map((row) => row.id));
    await manager.query(`DELETE FROM notification WHERE id ${list.sql}`, list.parameters);
    return rows.length;
  }
}
