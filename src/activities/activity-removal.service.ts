import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { inList } from '../database/statements';
import { ProjectRemovalService } from '../projects/project-removal.service';

/** Removes the activities of deleted projects. */
@Injectable()
export class ActivityRemovalService implements OnModuleInit {
  constructor(private readonly removal: ProjectRemovalService) {}

  onModuleInit(): void {
    this.removal.register('activities', (manager, projectId, limit) =>
      this.remove(manager, projectId, limit),
    );
  }

  private async remove(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM activity WHERE project_id = ? LIMIT ${limit}`,
      [projectId],
    );
    if (rows.length === 0) return 0;
    const list = inList(rows.map((row) => row.id));
    await manager.query(`DELETE FROM activity WHERE id ${list.sql}`, list.parameters);
    return rows.length;
  }
}
