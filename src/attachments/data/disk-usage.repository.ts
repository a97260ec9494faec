import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { continuesCondition } from '../../database/sql/contains';
import { unindexedListRunner } from '../../database/search/searches';
import { isEmbedded } from '../../database/sql/statements';
import { type Requester } from '../../event-loop/user-turns';
import { type StoredFor, type StoredSizes } from '../attachment-link';

/** The disk usage of a project for one feature. */
export interface UsageRow<Kind extends string = string> {
  kind: Kind;
  projectId: number;
  bytes: number;
}

/** Sums the sizes of stored files. */
@Injectable()
export class DiskUsageRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Returns the disk usage of all projects, or of one, by feature, in one statement, which reads a row for each file; omits projects
   * without files. On the embedded database, it runs on a separate thread.
   */
  async sum<Kind extends string>(
    sources: ReadonlyMap<Kind, StoredFor | StoredSizes>,
    requester: Requester,
    projectId?: number,
  ): Promise<UsageRow<Kind>[]> {
    const canEnd = isEmbedded(this.dataSource) ? `AND ${continuesCondition('a.id')}` : '';
    const sums = [...sources].map(([kind, source]) => {
      if ('size' in source) {
        const condition = projectId === undefined ? '' : 'WHERE project_id = ?';
        return `SELECT '${kind}' AS kind, project_id AS projectId, SUM(${source.size}) AS bytes
          FROM ${source.table} ${condition} GROUP BY project_id`;
      }
      const { table, owner, owners } = source;
      const project = owners === undefined ? 'l.project_id' : 'o.project_id';
      const join = owners === undefined ? '' : `JOIN ${owners} o ON o.id = l.${owner}`;
      const condition = projectId === undefined ? '' : `AND ${project} = ?`;
      return `SELECT '${kind}' AS kind, ${project} AS projectId, SUM(a.size) AS bytes
        FROM ${table} l ${join} JOIN attachment a ON a.id = l.attachment_id
        WHERE 1 = 1 ${condition} ${canEnd} GROUP BY ${project}`;
    });
    const rows = await unindexedListRunner(this.dataSource, requester).query<
      { kind: Kind; projectId: number | string; bytes: number | string }[]
    >(sums.join(' UNION ALL '), projectId === undefined ? [] : sums.map(() => projectId));
    return rows.map(({ kind, ...row }) => ({
      kind,
      projectId: Number(row.projectId),
      bytes: Number(row.bytes),
    }));
  }
}
