/**
 * Returns an expression for a user's name, for other modules to sort by, and the join that it needs.
 * @param id the column with the user's id
 */
export const userNameSort = (id: string): { expression: string; join: string } => ({
  expression: 'o.name',
  join: `LEFT JOIN user o ON o.id = ${id}`,
});
