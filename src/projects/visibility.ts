import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { Conditions } from '../database/sql/conditions';

/** The columns of the joined project that decide whether a caller may see it. */
export interface VisibilityRow {
  ofProjectId: number;
  memberId: number | null;
  projectAdministrator: number | boolean | null;
  projectDeleted: number | boolean;
}

/** The columns of `VisibilityRow`. */
export const VISIBILITY_COLUMNS =
  'p.id AS ofProjectId, m.user_id AS memberId, m.project_administrator AS projectAdministrator, p.deleted AS projectDeleted';

/**
 * Joins rows that belong to a project with the project `p` and the caller's membership, so that one query finds a resource and
 * its visibility. Its only parameter is the caller's id.
 * @param projectId the column with the project's id
 */
export const joinProject = (projectId: string): string =>
  `JOIN project p ON p.id = ${projectId} ${JOIN_MEMBERSHIP}`;

/** Joins the project `p` with the caller's membership. Its only parameter is the caller's id. */
export const JOIN_MEMBERSHIP = 'LEFT JOIN project_member m ON m.project_id = p.id AND m.user_id = ?';

/**
 * Returns the condition that a user is a member of a project. Its only parameter is the project's id.
 * @param userId the column with the user's id
 */
export const isMemberOfProject = (userId: string): string =>
  `EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = ? AND m.user_id = ${userId})`;

/**
 * Whether a caller may see a project: Administrators see every project, others their own (`docs/decisions/0003-access.md#rights`), and with
 * a key limited to projects, those among them.
 */
export const isVisible = (row: VisibilityRow, caller: Caller): boolean =>
  !row.projectDeleted &&
  (row.memberId !== null || caller.roleType === RoleType.Administrator) &&
  caller.projectIds?.has(row.ofProjectId) !== false;

/** Returns a sub-query for the ids of all projects that a caller may see. */
export function visibleProjectIds(caller: Caller): { sql: string; parameters: unknown[] } {
  if (caller.roleType === RoleType.Administrator) {
    return { sql: 'SELECT id FROM project WHERE deleted = 0', parameters: [] };
  }
  const { where, parameters } = new Conditions()
    .add('v.deleted = 0 AND w.user_id = ?', caller.id)
    .and(reachedByKey(caller, 'v.id'));
  return {
    sql: `SELECT v.id FROM project v JOIN project_member w ON w.project_id = v.id ${where}`,
    parameters,
  };
}

/**
 * Returns the condition that the caller's key reaches a project; none if it reaches all.
 * @param projectId the column with the project's id
 */
export function reachedByKey({ projectIds }: Pick<Caller, 'projectIds'>, projectId: string): Conditions {
  const conditions = new Conditions();
  return projectIds ? conditions.in(projectId, [...projectIds]) : conditions;
}

/** Sub-query for the ids of the projects that are deleted but not yet removed, which no user sees. */
export const deletedProjectIds = 'SELECT id FROM project WHERE deleted = 1';
