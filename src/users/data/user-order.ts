import { type Sql } from '../../database/sql/statements';

/**
 * Returns an expression for a user's name, for other modules to sort by, and the join that it needs.
 * @param id the column with the user's id
 */
export const userNameSort = (id: string): { expression: string; join: string } => ({
  expression: 'o.name',
  join: `LEFT JOIN user o ON o.id = ${id}`,
});

/** Returns a SELECT of all users as groups of rows, which sort by their names (`GroupedRows`). */
export const userGroups = (): Sql => ({
  sql: 'SELECT o.id AS id, o.name AS sort_key FROM user o',
  parameters: [],
});
