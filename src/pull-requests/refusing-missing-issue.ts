import { isReferenceError } from '../database/database-errors';
import { InvalidRequestError } from '../errors/domain-errors';

/**
 * Waits for one statement that names an issue, which somebody else may be removing.
 * @throws InvalidRequestError when it is gone
 */
export async function refusingMissingIssue<T>(statement: Promise<T>): Promise<T> {
  try {
    return await statement;
  } catch (error) {
    if (isReferenceError(error)) throw InvalidRequestError.of('issueId', 'The issue has just been removed.');
    throw error;
  }
}
