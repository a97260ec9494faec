import { StandardStatus } from './standard-status';

const { Open, InProgress, Resolved, Closed } = StandardStatus;

/**
 * Whether a project's statuses may have this order: Open first, Closed last, In Progress before Resolved.
 * @param order the standard status at each position; null for a status that the project added
 */
export const isAllowedOrder = (order: readonly (StandardStatus | null)[]): boolean =>
  order[0] === Open && order.at(-1) === Closed && order.indexOf(InProgress) < order.indexOf(Resolved);

/** Returns the display order of the status at an index. */
export const displayOrderAt = (index: number): number => 1000 * (index + 1);

/**
 * Returns the first position from which the statuses before Closed have to move forward by one, so that the position just
 * before Closed becomes free: no further than the next gap. Returns Closed's own position if none has to move.
 */
export function firstPositionToShift(places: readonly number[], closed: number): number {
  const taken = new Set(places);
  let start = closed;
  while (taken.has(start - 1)) start--;
  return start;
}
