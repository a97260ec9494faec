import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { affectedRows, insertRows } from '../database/statements';
import { ResourceOverflowError } from '../errors/domain-errors';
import { ProjectCounter } from './entities/project-counter.entity';

/** What is numbered or limited in a project: its name in `project_counter`, in a sentence, and how many there may be. */
export const COUNTERS = {
  issue: { label: 'issues', limit: 2 ** 31 - 1 },
  issueType: { label: 'issue types', limit: 100 },
  status: { label: 'statuses', limit: 12 },
  webhook: { label: 'webhooks', limit: 100 },
} as const;

export type CounterName = keyof typeof COUNTERS;

/** Gives out numbers and keeps limits per project, by conditional UPDATEs alone (decisions, section 7). */
@Injectable()
export class ProjectCounters {
  /** Makes a new project's counters. */
  async create(manager: EntityManager, projectId: number): Promise<void> {
    const names = Object.keys(COUNTERS) as CounterName[];
    await insertRows(
      manager,
      ProjectCounter,
      names.map((name) => ({ projectId, name, used: 0, lastNumber: 0 })),
    );
  }

  /**
   * Counts one more, or several, and gives the last one's number; the first ever is 1. Until the transaction ends, no
   * other can.
   * @throws ResourceOverflowError when the project has as many as it may
   */
  async take(manager: EntityManager, projectId: number, name: CounterName, count = 1): Promise<number> {
    const { label, limit } = COUNTERS[name];
    const taken = await affectedRows(
      manager,
      `UPDATE project_counter SET used = used + ?, last_number = last_number + ?
        WHERE project_id = ? AND name = ? AND used + ? <= ?`,
      [count, count, projectId, name, count, limit],
    );
    if (taken === 0) throw new ResourceOverflowError(`A project can have at most ${limit} ${label}.`);
    const [row] = await manager.query<{ lastNumber: number }[]>(
      'SELECT last_number AS lastNumber FROM project_counter WHERE project_id = ? AND name = ?',
      [projectId, name],
    );
    return (row as { lastNumber: number }).lastNumber;
  }
}
