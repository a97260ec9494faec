import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';

/** The columns of the joined project that decide whether a caller may see it. */
export interface VisibilityRow {
  memberId: number | null;
  projectAdministrator: number | boolean | null;
  projectDeleted: number | boolean;
}

/** The columns of `VisibilityRow`. */
export const VISIBILITY_COLUMNS =
  'm.user_id AS memberId, m.project_administrator AS projectAdministrator, p.deleted AS projectDeleted';

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

/** Whether a caller may see a project: Administrators see every project, others their own (`docs/decisions/0003-access.md#rights`). */
export const isVisible = (row: VisibilityRow, caller: Caller): boolean =>
  !row.projectDeleted && (row.memberId !== null || caller.roleType === RoleType.Administrator);

/** Returns a sub-query for the ids of all projects that a caller may see. */
export const visibleProjectIds = (caller: Caller): { sql: string; parameters: number[] } =>
  caller.roleType === RoleType.Administrator
    ? { sql: 'SELECT id FROM project WHERE deleted = 0', parameters: [] }
    : {
        sql: `SELECT v.id FROM project v JOIN project_member w ON w.project_id = v.id
               WHERE v.deleted = 0 AND w.user_id = ?`,
        parameters: [caller.id],
      };

/** Sub-query for the ids of the projects that are deleted but not yet removed, which no user sees. */
export const deletedProjectIds = 'SELECT id FROM project WHERE deleted = 1';
