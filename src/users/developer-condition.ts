import { DEVELOPERS } from '../access/role-type';

/**
 * The condition that a user has a role of `DEVELOPERS`, or had one when they left.
 * @param userId the column that names the user
 */
export const isDeveloper = (userId: string): string =>
  `EXISTS (SELECT 1 FROM user du WHERE du.id = ${userId} AND du.role_type IN (${DEVELOPERS.join(', ')}))`;
