import { refusingGone } from '../../database/database-errors';

/**
 * Waits for one statement that names an issue, which somebody else may be removing.
 * @throws InvalidRequestError when it is gone
 */
export const refusingMissingIssue = <T>(statement: Promise<T>): Promise<T> =>
  refusingGone(statement, 'issueId', 'The issue has just been removed.');
