import { type Caller } from '../access/caller';
import { RoleType } from '../access/role-type';

/** What a look-up selects of the joined project to decide whether a caller may see it. */
export interface VisibilityRow {
  memberId: number | null;
  projectAdministrator: number | boolean | null;
  projectDeleted: number | boolean;
}

/** The columns of `VisibilityRow`. */
export const VISIBILITY_COLUMNS =
  'm.user_id AS memberId, m.project_administrator AS projectAdministrator, p.deleted AS projectDeleted';

/**
 * Joins what belongs to a project with the project `p` and the caller's membership of it, so that finding a thing and
 * asking whether it may be seen is one query. Its one parameter is the caller's id.
 * @param projectId the column that names the project
 */
export const joinProject = (projectId: string): string =>
  `JOIN project p ON p.id = ${projectId} ${JOIN_MEMBERSHIP}`;

/** Joins the project `p` with the caller's membership. Its one parameter is the caller's id. */
export const JOIN_MEMBERSHIP = 'LEFT JOIN project_member m ON m.project_id = p.id AND m.user_id = ?';

/**
 * The condition that a user is a member of a project. Its one parameter is the project's id.
 * @param userId the column that names the user
 */
export const isMemberOfProject = (userId: string): string =>
  `EXISTS (SELECT 1 FROM project_member m WHERE m.project_id = ? AND m.user_id = ${userId})`;

/** Administrators see every project, everyone else those they belong to (`docs/decisions/0004-access.md`). */
export const isVisible = (row: VisibilityRow, caller: Caller): boolean =>
  !row.projectDeleted && (row.memberId !== null || caller.roleType === RoleType.Administrator);

/** The ids of all projects that a caller may see, as a sub-query. */
export const visibleProjectIds = (caller: Caller): { sql: string; parameters: number[] } =>
  caller.roleType === RoleType.Administrator
    ? { sql: 'SELECT id FROM project WHERE deleted = 0', parameters: [] }
    : {
        sql: `SELECT v.id FROM project v JOIN project_member w ON w.project_id = v.id
               WHERE v.deleted = 0 AND w.user_id = ?`,
        parameters: [caller.id],
      };

/** Selects the ids of the projects that are deleted and not yet removed, which nobody sees. */
export const deletedProjectIds = 'SELECT id FROM project WHERE deleted = 1';
