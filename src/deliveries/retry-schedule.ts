const SECOND_MS = 1000;
const MIN_RETRY_AFTER_MS = SECOND_MS;
const MAX_RETRY_AFTER_MS = 24 * 3600 * SECOND_MS;
/** Minimum delay for an overloaded receiver or gateway, in milliseconds. */
const OVERLOAD_PAUSE_MS = 60 * SECOND_MS;
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;
const OVERLOAD_STATUSES = new Set([429, 502, 504]);

/** The schedule of retries. */
export interface RetryPolicy {
  /** Delays between consecutive attempts, in milliseconds; the last attempt follows the last delay. */
  delays: readonly number[];
  /** Random fraction of a delay, added or subtracted: 0 to 1. */
  jitter: number;
}

/** A failed attempt. */
export interface FailedAttempt {
  /** 1 for the first. */
  number: number;
  /** HTTP status; undefined when there was no response. */
  status?: number;
  /** The response's `Retry-After`. */
  retryAfter?: string;
}

/**
 * Returns the milliseconds from a failed attempt to the next, or undefined after the last. A `Retry-After` is honoured, but
 * raised to at least 1 s and limited to 24 h.
 */
export function retryDelay(
  policy: RetryPolicy,
  attempt: FailedAttempt,
  now: number,
  random: () => number = Math.random,
): number | undefined {
  const scheduled = policy.delays[attempt.number - 1];
  if (scheduled === undefined) return undefined;
  const asked = parseRetryAfter(attempt.retryAfter, now);
  if (asked !== undefined) return Math.min(Math.max(asked, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
  const delay = scheduled * (1 + policy.jitter * (2 * random() - 1));
  return Math.round(OVERLOAD_STATUSES.has(attempt.status ?? 0) ? Math.max(delay, OVERLOAD_PAUSE_MS) : delay);
}

/** Parses a `Retry-After` header, seconds or a date, into milliseconds; returns undefined for anything else. */
function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * SECOND_MS;
  // Date.parse accepts many other strings, such as "-1".
  const date = HTTP_DATE.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : date - now;
}
