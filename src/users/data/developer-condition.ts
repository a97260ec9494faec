import { DEVELOPERS } from '../../access/role-type';

/**
 * Returns the condition that a user has a role of `DEVELOPERS`, or had one when they left.
 * @param userId the column with the user's id
 */
export const isDeveloper = (userId: string): string =>
  `EXISTS (SELECT 1 FROM user du WHERE du.id = ${userId} AND du.role_type IN (${DEVELOPERS.join(', ')}))`;
