import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { insertRowsOrRaise, selectRows } from '../../database/rows';
import { affectedRows, inList, selectForShare } from '../../database/statements';
import { IssueCommit } from '../entities/issue-commit.entity';

const KEYS = ['id', 'issueId', 'hash', 'action', 'userId', 'comment'] as const;
const BATCH = 200;

/** A commit's due to an issue that is not settled. */
export type PendingIssueCommit = Pick<IssueCommit, (typeof KEYS)[number]>;

/** The rows of what commits have to do with issues. */
@Injectable()
export class IssueCommitRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Adds rows in their order; those that are there already stay as they are. */
  async insertMissing(manager: EntityManager, rows: readonly Omit<IssueCommit, 'id'>[]): Promise<void> {
    for (let start = 0; start < rows.length; start += BATCH) {
      // The action is a part of the key: it stays what it is.
      await insertRowsOrRaise(manager, IssueCommit, rows.slice(start, start + BATCH), {
        key: ['issueId', 'hash', 'action'],
        raised: 'action',
      });
    }
  }

  /** Rows that are not settled, oldest first, at most `limit` after an id. */
  findPending(afterId: number, limit: number): Promise<PendingIssueCommit[]> {
    return selectRows(
      this.dataSource,
      IssueCommit,
      KEYS,
      'WHERE pending_since IS NOT NULL AND id > ? ORDER BY id LIMIT ?',
      [afterId, limit],
    );
  }

  /** Marks rows as settled, and returns how many were not before. */
  settle(manager: EntityManager, ids: readonly number[]): Promise<number> {
    const { sql, parameters } = inList(ids);
    return affectedRows(
      manager,
      `UPDATE issue_commit SET pending_since = NULL, comment = '' WHERE id ${sql} AND pending_since IS NOT NULL`,
      parameters,
    );
  }

  /** The ids of a project's issues by their numbers; they stay until the transaction ends. */
  async holdIssueIds(
    manager: EntityManager,
    projectId: number,
    keyIds: readonly number[],
  ): Promise<Map<number, number>> {
    const ids = new Map<number, number>();
    for (let start = 0; start < keyIds.length; start += BATCH) {
      const { sql, parameters } = inList(keyIds.slice(start, start + BATCH));
      const rows = await selectForShare<{ id: number | string; keyId: number }>(
        manager,
        `SELECT id, key_id AS keyId FROM issue WHERE project_id = ? AND key_id ${sql}`,
        [projectId, ...parameters],
      );
      for (const { id, keyId } of rows) ids.set(keyId, Number(id));
    }
    return ids;
  }
}
