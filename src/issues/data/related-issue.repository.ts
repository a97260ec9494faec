import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { type Caller } from '../../access/caller';
import { insertRow } from '../../database/sql/rows';
import { affectedRows, type StatementRunner } from '../../database/sql/statements';
import { visibleProjectIds } from '../../projects/visibility';
import { RelatedIssue } from '../entities/related-issue.entity';

/** Selects the issues related to one. Each half uses an index, which an OR would not. */
const OTHERS = `SELECT second_issue_id AS id, created FROM related_issue WHERE first_issue_id = ?
  UNION ALL SELECT first_issue_id AS id, created FROM related_issue WHERE second_issue_id = ?`;

/** A relation, seen from one of its issues. */
export interface Relation {
  /** The other issue. */
  id: number;
  /** Milliseconds since 1970, and later than that of any earlier relation of either issue. */
  created: number;
}

/** Stores the relations between issues. */
@Injectable()
export class RelatedIssueRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Returns the ids of the issues that are related to one and visible to the caller, in the order of addition. */
  async findVisibleIds(caller: Caller, issueId: number): Promise<number[]> {
    const visible = visibleProjectIds(caller);
    const rows = await this.dataSource.query<{ id: number }[]>(
      `SELECT i.id AS id FROM (${OTHERS}) o JOIN issue i ON i.id = o.id
        WHERE i.project_id IN (${visible.sql}) ORDER BY o.created, o.id`,
      [issueId, issueId, ...visible.parameters],
    );
    return rows.map(({ id }) => id);
  }

  /** Returns the ids of all issues related to one, and when each relation was added. */
  findAll(runner: StatementRunner, issueId: number): Promise<Relation[]> {
    return runner.query<Relation[]>(OTHERS, [issueId, issueId]);
  }

  async insert(manager: EntityManager, one: number, other: number, created: number): Promise<void> {
    const [firstIssueId, secondIssueId] = inOrder(one, other);
    await insertRow(manager, RelatedIssue, { firstIssueId, secondIssueId, created });
  }

  /** Deletes a relation; returns whether it existed. */
  async delete(manager: EntityManager, one: number, other: number): Promise<boolean> {
    const sql = 'DELETE FROM related_issue WHERE first_issue_id = ? AND second_issue_id = ?';
    return (await affectedRows(manager, sql, inOrder(one, other))) > 0;
  }
}

/** Returns whether two issues are related and the caller can see the other. */
export async function isRelatedVisibly(
  runner: StatementRunner,
  caller: Caller,
  issueId: number,
  otherId: number,
): Promise<boolean> {
  const visible = visibleProjectIds(caller);
  const rows = await runner.query<unknown[]>(
    `SELECT i.id FROM related_issue r JOIN issue i ON i.id = ?
      WHERE r.first_issue_id = ? AND r.second_issue_id = ? AND i.project_id IN (${visible.sql})`,
    [otherId, ...inOrder(issueId, otherId), ...visible.parameters],
  );
  return rows.length > 0;
}

const inOrder = (one: number, other: number): [first: number, second: number] =>
  one < other ? [one, other] : [other, one];
