import { StandardStatus } from './standard-status';

const { Open, InProgress, Resolved, Closed } = StandardStatus;

/**
 * Whether a project's statuses may stand in this order: Open first, Closed last, In Progress before Resolved.
 * @param order which of the standard ones each is; null for those that the project has added
 */
export const isAllowedOrder = (order: readonly (StandardStatus | null)[]): boolean =>
  order[0] === Open && order.at(-1) === Closed && order.indexOf(InProgress) < order.indexOf(Resolved);

/** The display order of what has so many before it. */
export const displayOrderAt = (index: number): number => 1000 * (index + 1);

/**
 * From which place on what stands before Closed has to move one down, so that the place just before it is free: no further
 * than to the next gap. Closed's own place when nothing has to.
 */
export function startOfCrowd(places: readonly number[], closed: number): number {
  const taken = new Set(places);
  let start = closed;
  while (taken.has(start - 1)) start--;
  return start;
}
