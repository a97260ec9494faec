import { inList } from '../database/statements';
import { type StandardStatus } from './standard-status';
import { wireIdOf } from './status-wire-id';

/**
 * Returns an expression for the position of a setting in its project's order, for other modules to sort by, and the join that
 * it needs. A sub-query takes MySQL seven times as long.
 * @param id the column with the setting's id
 */
export const displayOrderOf = (
  table: 'issue_type' | 'issue_status' | 'category' | 'version',
  id: string,
): { expression: string; join: string } => ({
  expression: 'o.display_order',
  join: `LEFT JOIN ${table} o ON o.id = ${id}`,
});

/**
 * Returns the condition that a status has one of the wire ids, in any project.
 * @param id the column with the status's id
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

/**
 * Joins a status as `o` if it is a standard one, so that `COUNT(o.id)` counts the rows that have it.
 * @param id the column with the status's id
 */
export const joinStandardStatus = (id: string, standard: StandardStatus): string =>
  `LEFT JOIN issue_status o ON o.id = ${id} AND o.standard = ${standard}`;
