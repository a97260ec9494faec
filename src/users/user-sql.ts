/** Users as `u`, for statements of other modules that look something up for each of them. */
export const USERS = 'user u';

/**
 * Joins a user `u` to a row that refers to one.
 * @param userId the column that names the user
 */
export const joinUser = (userId: string): string => `JOIN ${USERS} ON u.id = ${userId}`;
