import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { inList } from '../database/statements';
import { ProjectRemovalService } from '../projects/project-removal.service';

/** Removes the activities of deleted projects, and the texts that they referred to. */
@Injectable()
export class ActivityRemovalService implements OnModuleInit {
  constructor(private readonly removal: ProjectRemovalService) {}

  onModuleInit(): void {
    this.removal.register('activities', (manager, projectId, limit) =>
      removeRows(manager, projectId, limit, 'activity', 'id'),
    );
    this.removal.register('activities', (manager, projectId, limit) =>
      removeRows(manager, projectId, limit, 'activity_text', 'digest'),
    );
  }
}

async function removeRows(
  manager: EntityManager,
  projectId: number,
  limit: number,
  table: string,
  key: string,
): Promise<number> {
  const rows = await manager.query<Record<string, unknown>[]>(
    `SELECT ${key} FROM ${table} WHERE project_id = ? LIMIT ${limit}`,
    [projectId],
  );
  if (rows.length === 0) return 0;
  const list = inList(rows.map((row) => row[key]));
  await manager.query(`DELETE FROM ${table} WHERE ${key} ${list.sql}`, list.parameters);
  return rows.length;
}
