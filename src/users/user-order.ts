/**
 * A user's name, for other modules to sort by: an expression, and the join that it needs.
 * @param id the column that names the user
 */
export const userNameOf = (id: string): { expression: string; join: string } => ({
  expression: 'o.name',
  join: `LEFT JOIN user o ON o.id = ${id}`,
});
