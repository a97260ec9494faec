import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { insertRows, selectRow, selectRows } from '../../database/sql/rows';
import {
  affectedRows,
  type EntityRunner,
  forWrite,
  selectForShare,
  type StatementRunner,
} from '../../database/sql/statements';
import { ProjectCounter } from '../entities/project-counter.entity';
import { inScope, type ProjectScope } from './project-scope';

/** Repository of project counters. Their numbers change only through atomic UPDATEs, except when they are corrected. */
@Injectable()
export class ProjectCounterRepository {
  /** Adds counters to a project, all at zero. */
  async insert(manager: EntityManager, projectId: number, names: readonly string[]): Promise<void> {
    await insertRows(
      manager,
      ProjectCounter,
      names.map((name) => ({ projectId, name, used: 0, lastNumber: 0 })),
    );
  }

  /**
   * Increments a counter and its last number, unless that would exceed the limit or the project is deleted; returns whether it
   * did.
   */
  async increase(
    manager: EntityManager,
    projectId: number,
    name: string,
    count: number,
    limit: number,
  ): Promise<boolean> {
    const counted = await affectedRows(
      manager,
      `UPDATE project_counter SET used = used + ?, last_number = last_number + ?
        WHERE project_id = ? AND name = ? AND used + ? <= ?
          AND EXISTS (SELECT 1 FROM project WHERE id = ? AND deleted = 0)`,
      [count, count, projectId, name, count, limit, projectId],
    );
    return counted > 0;
  }

  /** Decrements a counter, but not its last number. */
  async decrease(manager: EntityManager, projectId: number, name: string, count: number): Promise<void> {
    await manager.query('UPDATE project_counter SET used = used - ? WHERE project_id = ? AND name = ?', [
      count,
      projectId,
      name,
    ]);
  }

  async findLastNumber(manager: EntityManager, projectId: number, name: string): Promise<number | undefined> {
    const row = await selectRow(
      manager,
      ProjectCounter,
      ['lastNumber'],
      'WHERE project_id = ? AND name = ?',
      [projectId, name],
    );
    return row?.lastNumber;
  }

  /** Whether a project has a counter, which is then kept until the transaction ends; undefined if the project is deleted. */
  async has(manager: EntityManager, projectId: number, name: string): Promise<boolean | undefined> {
    const [project] = await selectForShare<{ name: string | null }>(
      manager,
      `SELECT c.name AS name FROM project p LEFT JOIN project_counter c ON c.project_id = p.id AND c.name = ?
        WHERE p.id = ? AND p.deleted = 0`,
      [name, projectId],
    );
    return project && project.name !== null;
  }

  /** Returns the names of the counters that a project has. */
  async findNames(runner: EntityRunner, projectId: number): Promise<string[]> {
    const rows = await selectRows(runner, ProjectCounter, ['name'], 'WHERE project_id = ?', [projectId]);
    return rows.map(({ name }) => name);
  }

  /** Returns a counter, which no other transaction can change until this one ends; undefined if there is none. */
  lock(
    manager: EntityManager,
    projectId: number,
    name: string,
  ): Promise<Pick<ProjectCounter, 'used' | 'lastNumber'> | undefined> {
    const condition = `WHERE project_id = ? AND name = ?${forWrite(manager)}`;
    return selectRow(manager, ProjectCounter, ['used', 'lastNumber'], condition, [projectId, name]);
  }

  /** Sets a counter that the transaction has locked. */
  async set(
    manager: EntityManager,
    projectId: number,
    name: string,
    { used, lastNumber }: Pick<ProjectCounter, 'used' | 'lastNumber'>,
  ): Promise<void> {
    await manager.query(
      'UPDATE project_counter SET used = ?, last_number = ? WHERE project_id = ? AND name = ?',
      [used, lastNumber, projectId, name],
    );
  }

  /** Returns the sum of a counter over the projects of a scope. */
  async sum(runner: StatementRunner, name: string, scope: ProjectScope): Promise<number> {
    const { where, parameters } = inScope(scope, 'project_id').add('name = ?', name);
    const [row] = await runner.query<{ used: number | string | null }[]>(
      `SELECT SUM(used) AS used FROM project_counter ${where}`,
      parameters,
    );
    return Number(row?.used ?? 0);
  }

  /** Removes all counters of a project, which are few, and returns their number. */
  removeOfProject(manager: EntityManager, projectId: number): Promise<number> {
    return affectedRows(manager, 'DELETE FROM project_counter WHERE project_id = ?', [projectId]);
  }
}
