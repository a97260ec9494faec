import { type EntityManager } from 'typeorm';
import { inList, selectForUpdate } from '../../database/statements';
import { InvalidRequestError } from '../../errors/domain-errors';

/** An issue as its place among others shows. */
export interface IssuePlace {
  id: number;
  projectId: number;
  parentIssueId: number | null;
}

/**
 * Locks issues for the rest of the transaction, so that none of them becomes a parent or a child meanwhile. In the order of
 * their ids, so that two that take the same do not wait for each other.
 */
export async function lockForHierarchy(
  manager: EntityManager,
  ids: readonly number[],
): Promise<Map<number, IssuePlace>> {
  if (ids.length === 0) return new Map();
  const list = inList(ids);
  const rows = await selectForUpdate<IssuePlace>(
    manager,
    `SELECT id, project_id AS projectId, parent_issue_id AS parentIssueId FROM issue
      WHERE id ${list.sql} ORDER BY id`,
    list.parameters,
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Checks that an issue can become a part of another: there is one level of children. This transaction holds both.
 * @param issueId undefined for one that is about to be added
 * @throws InvalidRequestError for `parentIssueId`
 */
export async function checkParent(
  manager: EntityManager,
  places: ReadonlyMap<number, IssuePlace>,
  projectId: number,
  parentIssueId: number,
  issueId?: number,
): Promise<void> {
  const parent = places.get(parentIssueId);
  if (parent?.projectId !== projectId) throw refused(`There is no issue ${parentIssueId} in the project.`);
  if (parentIssueId === issueId) throw refused('An issue cannot be a part of itself.');
  if (parent.parentIssueId !== null) {
    throw refused(`Issue ${parentIssueId} is a part of another, so that nothing can be a part of it.`);
  }
  if (issueId !== undefined && (await hasChildren(manager, issueId))) {
    throw refused('The issue has child issues, so that it cannot be a part of another.');
  }
}

async function hasChildren(manager: EntityManager, issueId: number): Promise<boolean> {
  const rows = await manager.query<unknown[]>('SELECT id FROM issue WHERE parent_issue_id = ? LIMIT 1', [
    issueId,
  ]);
  return rows.length > 0;
}

const refused = (message: string): InvalidRequestError => InvalidRequestError.of('parentIssueId', message);
