import { type Caller } from '../../access/caller';
import { RoleType } from '../../access/role-type';
import { Conditions } from '../../database/sql/conditions';
import { inList, type Sql, type StatementRunner } from '../../database/sql/statements';
import { deletedProjectIds, visibleProjectIds } from '../visibility';

/** The projects to search: only the given ones, or all except them. */
export type ProjectScope = { only: readonly number[] } | { except: readonly number[] };

/**
 * Returns the projects in which a caller may search.
 * @param projectIds the requested projects; empty = all
 */
export async function findScope(
  runner: StatementRunner,
  caller: Caller,
  projectIds: readonly number[],
): Promise<ProjectScope> {
  if (caller.roleType === RoleType.Administrator) {
    const deleted = await findIds(runner, deletedProjectIds);
    return projectIds.length === 0
      ? { except: deleted }
      : { only: projectIds.filter((id) => !deleted.includes(id)) };
  }
  const { sql, parameters } = visibleProjectIds(caller);
  const visible = await findIds(runner, sql, parameters);
  const wanted = new Set(projectIds);
  return { only: wanted.size === 0 ? visible : visible.filter((id) => wanted.has(id)) };
}

/**
 * Returns the condition that a row is in the scope.
 * @param column the column with the project's id
 */
export function inScope(scope: ProjectScope, column: string): Conditions {
  const conditions = new Conditions();
  if ('only' in scope) return conditions.in(column, scope.only);
  if (scope.except.length === 0) return conditions;
  const list = inList(scope.except);
  return conditions.add(`${column} NOT ${list.sql}`, ...list.parameters);
}

/** Returns a SELECT of the projects in a scope as groups of rows (`GroupedRows`). */
export function projectGroups(scope: ProjectScope): Sql {
  const { where, parameters } = inScope(scope, 'p.id');
  return { sql: `SELECT p.id AS id FROM project p ${where}`, parameters };
}

async function findIds(runner: StatementRunner, sql: string, parameters: unknown[] = []): Promise<number[]> {
  const rows = await runner.query<{ id: number }[]>(sql, parameters);
  return rows.map(({ id }) => id);
}
