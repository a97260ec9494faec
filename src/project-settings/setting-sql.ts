import { inList } from '../database/statements';
import { wireIdOf } from './status-wire-id';

/**
 * The place of something in its project's order, for others to sort by, as a sub-query.
 * @param id the column that names it
 */
export const displayOrderOf = (
  table: 'issue_type' | 'issue_status' | 'category' | 'version',
  id: string,
): string => `(SELECT o.display_order FROM ${table} o WHERE o.id = ${id})`;

/**
 * A condition that a status is one of those that the wire's ids stand for, in any project.
 * @param id the column that names it
 */
export function isStatus(
  id: string,
  wireIds: readonly number[],
): { sql: string; parameters: readonly number[] } {
  const { sql, parameters } = inList(wireIds);
  return {
    sql: `EXISTS (SELECT 1 FROM issue_status o WHERE o.id = ${id} AND ${wireIdOf('o')} ${sql})`,
    parameters,
  };
}
