import { type InvalidRequestError } from './domain-errors';

/** Maximum number of valid ids that a message lists. */
export const MAX_VALID_IDS = 20;

/**
 * Returns a sentence with the ids that a request could have named, to append to the message about others. Empty when there are more than a
 * message lists.
 * @param ids only those that the caller may see
 */
export function validIds(ids: readonly number[]): string {
  if (ids.length > MAX_VALID_IDS) return '';
  const ascending = ids.toSorted((one, other) => one - other);
  return ids.length === 0 ? ' There are no valid ids.' : ` Valid ids: ${ascending.join(', ')}.`;
}

/** Whether `appendValidIds` has ids to read. */
export const hasUnreadIds = ({ problems }: InvalidRequestError): boolean =>
  problems.some(({ readValidIds }) => readValidIds !== undefined);

/** Appends the valid ids to the messages of an error, before it is answered. Called once. */
export async function appendValidIds({ problems }: InvalidRequestError): Promise<void> {
  for (const problem of problems) {
    // One more than a message lists, to know whether there are more.
    const ids = await problem.readValidIds?.(MAX_VALID_IDS + 1);
    if (ids) problem.message += validIds(ids);
  }
}
