/** Maximum number of valid ids that a message lists. */
export const MAX_VALID_IDS = 20;

/** Number of ids to read for `validIds`: one more than a message lists. */
export const VALID_IDS_READ = MAX_VALID_IDS + 1;

/**
 * Returns a sentence with the ids that a request could have named, to append to the message about others. Empty when there are more than a
 * message lists.
 * @param ids only those that the caller may see
 */
export function validIds(ids: readonly number[]): string {
  if (ids.length > MAX_VALID_IDS) return '';
  const ascending = ids.toSorted((one, other) => one - other);
  return ids.length === 0 ? ' There is none.' : ` Valid ids: ${ascending.join(', ')}.`;
}
