/**
 * A user's name, for others to sort by, as a sub-query.
 * @param id the column that names the user
 */
export const userNameOf = (id: string): string => `(SELECT o.name FROM user o WHERE o.id = ${id})`;
