import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRowIfMissing } from '../../database/rows';
import { inList, type StatementRunner } from '../../database/statements';
import { ActivityText } from '../entities/activity-text.entity';
import { type ActivityTexts, digestsIn } from '../text-references';

/** Repository of activity texts. */
@Injectable()
export class ActivityTextRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the texts referenced by JSON texts, in one query, or in none without references. */
  findReferenced(jsons: readonly string[]): Promise<ActivityTexts> {
    return findTexts(this.dataSource, jsons);
  }

  /** Stores the texts that the project does not have yet. */
  async insertMissing(manager: EntityManager, projectId: number, texts: ActivityTexts): Promise<void> {
    // In the order of their keys, so that two transactions that store the same texts do not deadlock.
    for (const [digest, text] of [...texts].sort(([one], [other]) => (one < other ? -1 : 1))) {
      await insertRowIfMissing(manager, ActivityText, { digest, projectId, text });
    }
  }

  /** Removes up to `limit` texts of a project and returns their number. */
  async removeSome(manager: EntityManager, projectId: number, limit: number): Promise<number> {
    const rows = await manager.query<{ digest: string }[]>(
      `SELECT digest FROM activity_text WHERE project_id = ? LIMIT ${limit}`,
      [projectId],
    );
    if (rows.length === 0) return 0;
    const list = inList(rows.map(({ digest }) => digest));
    await manager.query(`DELETE FROM activity_text WHERE digest ${list.sql}`, list.parameters);
    return rows.length;
  }
}

/** Returns the texts referenced by JSON texts, for modules that store their own references. */
export async function findTexts(runner: StatementRunner, jsons: readonly string[]): Promise<ActivityTexts> {
  const digests = new Set(jsons.flatMap(digestsIn));
  if (digests.size === 0) return new Map();
  const list = inList([...digests]);
  const rows = await runner.query<{ digest: string; text: string }[]>(
    `SELECT digest, text FROM activity_text WHERE digest ${list.sql}`,
    list.parameters,
  );
  return new Map(rows.map(({ digest, text }) => [digest, text]));
}
