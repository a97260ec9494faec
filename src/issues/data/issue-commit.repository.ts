import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { Conditions } from '../../database/sql/conditions';
import { insertRowsOrRaise, selectRows } from '../../database/sql/rows';
import { affectedRows, inList, selectForShare } from '../../database/sql/statements';
import { IssueCommit } from '../entities/issue-commit.entity';

const KEYS = ['id', 'issueId', 'hash', 'action', 'userId', 'agentKeyId', 'comment'] as const;
const BATCH = 200;

/** An action of a commit on an issue that is not settled yet. */
export type PendingIssueCommit = Pick<IssueCommit, (typeof KEYS)[number]>;

/** Stores the actions of commits on issues. */
@Injectable()
export class IssueCommitRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Inserts rows in order; existing rows stay unchanged. */
  async insertMissing(manager: EntityManager, rows: readonly Omit<IssueCommit, 'id'>[]): Promise<void> {
    for (let start = 0; start < rows.length; start += BATCH) {
      // The action is part of the key, so raising it changes nothing.
      await insertRowsOrRaise(manager, IssueCommit, rows.slice(start, start + BATCH), {
        key: ['issueId', 'hash', 'action'],
        raised: 'action',
      });
    }
  }

  /** Returns unsettled rows, oldest first, at most `limit` after an id. */
  findPending(afterId: number, limit: number): Promise<PendingIssueCommit[]> {
    return selectRows(
      this.dataSource,
      IssueCommit,
      KEYS,
      'WHERE pending_since IS NOT NULL AND id > ? ORDER BY id LIMIT ?',
      [afterId, limit],
    );
  }

  /** Returns the later unsettled rows of the same issues and commits as these rows, oldest first. */
  async findPendingWith(rows: readonly PendingIssueCommit[]): Promise<PendingIssueCommit[]> {
    const keyOf = ({ issueId, hash }: PendingIssueCommit): string => `${issueId} ${hash}`;
    const keys = new Set(rows.map(keyOf));
    const { where, parameters } = new Conditions()
      .add('pending_since IS NOT NULL AND id > ?', Math.max(...rows.map(({ id }) => id)))
      .in('issue_id', [...new Set(rows.map(({ issueId }) => issueId))])
      .in('hash', [...new Set(rows.map(({ hash }) => hash))]);
    const found = await selectRows(this.dataSource, IssueCommit, KEYS, `${where} ORDER BY id`, parameters);
    return found.filter((row) => keys.has(keyOf(row)));
  }

  /** Marks rows as settled, and returns how many were unsettled. */
  settle(manager: EntityManager, ids: readonly number[]): Promise<number> {
    const { sql, parameters } = inList(ids);
    return affectedRows(
      manager,
      `UPDATE issue_commit SET pending_since = NULL, comment = '' WHERE id ${sql} AND pending_since IS NOT NULL`,
      parameters,
    );
  }

  /** Returns the ids of a project's issues by number, and locks the issues in share mode until the transaction ends. */
  async lockIssueIds(
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
