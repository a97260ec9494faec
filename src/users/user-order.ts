/**
 * A sub-query for a user's name, by which other modules sort.
 * @param id the column that names the user
 */
export const userNameOf = (id: string): string => `(SELECT o.name FROM user o WHERE o.id = ${id})`;
