/** Users as `u`, for statements of other modules that run a sub-query per user. */
export const USERS = 'user u';

/**
 * Joins a user `u` to a row that references one.
 * @param userId the column with the user's id
 */
export const joinUser = (userId: string): string => `JOIN ${USERS} ON u.id = ${userId}`;
