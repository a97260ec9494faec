import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRowIfMissing, selectRow } from '../../database/sql/rows';
import { inList, type StatementRunner } from '../../database/sql/statements';
import { ActivityText } from '../entities/activity-text.entity';
import { type ActivityTexts, digestsIn, type TextScope } from '../text-references';

/** Larger than any period. */
const MAX_PERIOD = 2 ** 31 - 1;

/** Repository of activity texts. */
@Injectable()
export class ActivityTextRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the texts referenced by JSON texts, in one query, or in none without references. */
  findReferenced(jsons: readonly string[]): Promise<ActivityTexts> {
    return findTexts(this.dataSource, jsons);
  }

  /** Stores the texts that the project does not have yet in the period. */
  async insertMissing(manager: EntityManager, scope: TextScope, texts: ActivityTexts): Promise<void> {
    // In the order of their keys, so that two transactions that store the same texts do not deadlock.
    for (const [digest, text] of [...texts].sort(([one], [other]) => (one < other ? -1 : 1))) {
      await insertRowIfMissing(manager, ActivityText, { digest, ...scope, text });
    }
  }

  /** Removes up to `limit` texts of a project and returns their number. */
  removeSome(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    return this.removeOlder(manager, { projectId, from: 0, before: MAX_PERIOD }, limit);
  }

  /** Removes up to `limit` texts of a project from a range of periods, the oldest first; returns their number. */
  async removeOlder(
    manager: EntityManager,
    { projectId, from, before }: { projectId: number; from: number; before: number },
    limit: number,
  ): Promise<number> {
    const rows = await manager.query<{ digest: string }[]>(
      `SELECT digest FROM activity_text WHERE project_id = ? AND period >= ? AND period < ?
        ORDER BY period LIMIT ${limit}`,
      [projectId, from, before],
    );
    if (rows.length === 0) return 0;
    const list = inList(rows.map(({ digest }) => digest));
    await manager.query(`DELETE FROM activity_text WHERE digest ${list.sql} AND project_id = ?`, [
      ...list.parameters,
      projectId,
    ]);
    return rows.length;
  }

  /** Whether a project has texts of a range of periods. */
  async hasAny({
    projectId,
    from,
    before,
  }: {
    projectId: number;
    from: number;
    before: number;
  }): Promise<boolean> {
    const rows = await this.dataSource.query<unknown[]>(
      'SELECT 1 FROM activity_text WHERE project_id = ? AND period >= ? AND period < ? LIMIT 1',
      [projectId, from, before],
    );
    return rows.length > 0;
  }

  /**
   * Returns the next project with texts, and the oldest period of its texts; one index look-up.
   * @param after only projects with a larger id
   */
  async findNextProject(after: number): Promise<{ projectId: number; period: number } | undefined> {
    const rest = 'WHERE project_id > ? ORDER BY project_id, period LIMIT 1';
    return selectRow(this.dataSource, ActivityText, ['projectId', 'period'], rest, [after]);
  }
}

/** Returns the texts referenced by JSON texts, for modules that store their own references. */
export async function findTexts(runner: StatementRunner, jsons: readonly string[]): Promise<ActivityTexts> {
  const digests = [...new Set(jsons.flatMap(digestsIn))];
  const texts = new Map<string, string>();
  for (let start = 0; start < digests.length; start += TEXTS_AT_ONCE) {
    const list = inList(digests.slice(start, start + TEXTS_AT_ONCE));
    const rows = await runner.query<{ digest: string; text: string }[]>(
      `SELECT digest AS digest, text AS text FROM activity_text WHERE digest ${list.sql}`,
      list.parameters,
    );
    for (const { digest, text } of rows) texts.set(digest, text);
  }
  return texts;
}

/** Deliveries of pushes refer to hundreds of texts each; the number of parameters of a statement is limited. */
const TEXTS_AT_ONCE = 500;
