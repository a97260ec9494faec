import { StandardStatus } from './standard-status';

const { Open, InProgress, Resolved, Closed } = StandardStatus;

/**
 * Whether a project's statuses may have this order: Open first, Closed last, In Progress before Resolved.
 * @param order which of the standard ones each is; null for those that the project has added
 */
export const isAllowedOrder = (order: readonly (StandardStatus | null)[]): boolean =>
  order[0] === Open && order.at(-1) === Closed && order.indexOf(InProgress) < order.indexOf(Resolved);

/** The display order of the status at an index. */
export const displayOrderAt = (index: number): number => 1000 * (index + 1);

/**
 * The first place from which on the statuses before Closed have to move by one, so that the place just before Closed becomes
 * free: no further than the next gap. Closed's own place if none has to move.
 */
export function startOfCrowd(places: readonly number[], closed: number): number {
  const taken = new Set(places);
  let start = closed;
  while (taken.has(start - 1)) start--;
  return start;
}
