/** Failures that cost no wait, and the longest wait in milliseconds. */
export interface WaitRule {
  free: number;
  longest: number;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;

/** Waits after failures for one login name. */
export const NAME_WAITS: WaitRule = { free: 5, longest: 15 * MINUTE_MS };
/** Waits after failures from one address, which many people can share. */
export const ADDRESS_WAITS: WaitRule = { free: 20, longest: 60 * MINUTE_MS };

/** Returns the wait after a number of failures, in milliseconds: none at first, then a second, and twice as long after each further one. */
export function waitAfter(failures: number, { free, longest }: WaitRule): number {
  const beyond = failures - free;
  return beyond < 0 ? 0 : Math.min(longest, SECOND_MS * 2 ** Math.min(beyond, 30));
}
