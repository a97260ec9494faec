import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { isDuplicate } from '../database/database-errors';
import { insertRow, insertRows } from '../database/rows';
import { affectedRows, selectForShare } from '../database/statements';
import { NoResourceError, ResourceOverflowError } from '../errors/domain-errors';
import { ProjectCounter } from './entities/project-counter.entity';

/** What is numbered or limited in a project: its name in `project_counter`, in a sentence, and how many there may be. */
export const COUNTERS = {
  issue: { label: 'issues', limit: 2 ** 31 - 1 },
  issueType: { label: 'issue types', limit: 100 },
  status: { label: 'statuses', limit: 12 },
  webhook: { label: 'webhooks', limit: 100 },
  category: { label: 'categories', limit: 500 },
  version: { label: 'versions', limit: 500 },
  wiki: { label: 'wiki pages', limit: 5000 },
  gitRepository: { label: 'git repositories', limit: 100 },
} as const;

export type CounterName = keyof typeof COUNTERS;

/** Gives out numbers and keeps limits per project, by conditional UPDATEs alone (`docs/decisions/0011-transactions.md`). */
@Injectable()
export class ProjectCountersService {
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
   * @throws ResourceOverflowError when the project has as many as it may, NoResourceError when it has just been removed
   */
  async take(manager: EntityManager, projectId: number, name: CounterName, count = 1): Promise<number> {
    if (!(await this.count(manager, projectId, name, count))) {
      await this.addMissing(manager, projectId, name);
      if (!(await this.count(manager, projectId, name, count))) throw overflow(name);
    }
    const [row] = await manager.query<{ lastNumber: number }[]>(
      'SELECT last_number AS lastNumber FROM project_counter WHERE project_id = ? AND name = ?',
      [projectId, name],
    );
    return (row as { lastNumber: number }).lastNumber;
  }

  /** Counts some fewer, which have been removed; their numbers are not given out again. */
  async giveBack(manager: EntityManager, projectId: number, name: CounterName, count = 1): Promise<void> {
    await manager.query('UPDATE project_counter SET used = used - ? WHERE project_id = ? AND name = ?', [
      count,
      projectId,
      name,
    ]);
  }

  private async count(
    manager: EntityManager,
    projectId: number,
    name: CounterName,
    count: number,
  ): Promise<boolean> {
    const counted = await affectedRows(
      manager,
      `UPDATE project_counter SET used = used + ?, last_number = last_number + ?
        WHERE project_id = ? AND name = ? AND used + ? <= ?
          AND EXISTS (SELECT 1 FROM project WHERE id = ? AND deleted = 0)`,
      [count, count, projectId, name, count, COUNTERS[name].limit, projectId],
    );
    return counted > 0;
  }

  /** A project that is older than a counter has none of what is counted; one that is deleted gets no more. */
  private async addMissing(manager: EntityManager, projectId: number, name: CounterName): Promise<void> {
    const [project] = await selectForShare<{ name: string | null }>(
      manager,
      `SELECT c.name AS name FROM project p LEFT JOIN project_counter c ON c.project_id = p.id AND c.name = ?
        WHERE p.id = ? AND p.deleted = 0`,
      [name, projectId],
    );
    if (!project) throw new NoResourceError('project');
    if (project.name !== null) throw overflow(name);
    try {
      await insertRow(manager, ProjectCounter, { projectId, name, used: 0, lastNumber: 0 });
    } catch (error) {
      // Another request was first.
      if (!isDuplicate(error)) throw error;
    }
  }
}

const overflow = (name: CounterName): ResourceOverflowError => new ResourceOverflowError(limitMessage(name));

/** Says how many of something a project can have, where an answer or the documentation has to. */
export const limitMessage = (name: CounterName): string =>
  `A project can have at most ${COUNTERS[name].limit} ${COUNTERS[name].label}.`;
