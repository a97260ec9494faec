import { type IncomingHttpHeaders } from 'node:http';

/** The shortest wait after a refusal, because the end of a window is given in whole seconds. */
const MIN_WAIT_MS = 250;
/** The longest wait after a refusal that does not say until when, although requests remain. */
const OTHER_LIMIT_MS = 60_000;
/** How far apart two readings of the same end may be. */
const SAME_MS = 2000;
/** A smaller end of a window is not a time, but the seconds until then. */
const FIRST_TIME = 1e9;

interface Allowance {
  remaining: number;
  /** When it is full again, in milliseconds of this machine's clock. */
  until: number;
}

/**
 * Whether a source refuses a request only because of its limits: with 429, with 503 and `Retry-After`, or with 403 and `Retry-After` or no
 * remaining requests, as GitHub does.
 */
export const isLimit = (status: number, headers: IncomingHttpHeaders): boolean =>
  status === 429 ||
  ((status === 403 || status === 503) && headers['retry-after'] !== undefined) ||
  (status === 403 && remainingIn(headers) === 0);

/** How many requests each key may still send, by the class in which the source counts them. */
export class Allowances {
  private readonly known = new Map<string, Allowance>();
  /** Until when requests are refused, whatever the other answers say. */
  private readonly refused = new Map<string, number>();

  /** @param now of this machine's clock, in milliseconds */
  constructor(
    private readonly keys: readonly string[],
    private readonly now: () => number = Date.now,
  ) {}

  /** Takes a request of a class; returns the key to send it with, or the time to wait until there is one. */
  take(ofClass: string): { key: string } | { waitMs: number } {
    const now = this.now();
    let next = Infinity;
    for (const key of this.keys) {
      const refused = this.refused.get(nameOf(key, ofClass)) ?? 0;
      if (refused > now) {
        next = Math.min(next, refused);
        continue;
      }
      const allowance = this.known.get(nameOf(key, ofClass));
      if (!allowance || allowance.until <= now) return { key };
      if (allowance.remaining > 0) {
        allowance.remaining--;
        return { key };
      }
      next = Math.min(next, allowance.until);
    }
    return { waitMs: next - now };
  }

  /** Reads what an answer says about the next requests. Returns false if it says nothing. */
  note(key: string, ofClass: string, status: number, headers: IncomingHttpHeaders): boolean {
    const isRefused = isLimit(status, headers);
    const until = this.endOf(headers, isRefused);
    if (until === undefined) return false;
    const name = nameOf(key, ofClass);
    if (isRefused) {
      this.refuse(key, ofClass, until - this.now());
      return true;
    }
    const remaining = remainingIn(headers);
    if (remaining === undefined) return false;
    const before = this.known.get(name);
    // Answers can come in another order than that in which the source has counted them.
    const isSame = before !== undefined && Math.abs(before.until - until) < SAME_MS;
    this.known.set(name, { remaining: isSame ? Math.min(before.remaining, remaining) : remaining, until });
    return true;
  }

  /** Sends no request of a class with a key for some time. */
  refuse(key: string, ofClass: string, milliseconds: number): void {
    this.refused.set(nameOf(key, ofClass), this.now() + Math.max(milliseconds, MIN_WAIT_MS));
  }

  /** Returns when an answer says that its window ends, in milliseconds of this machine's clock. */
  private endOf(headers: IncomingHttpHeaders, isRefused: boolean): number | undefined {
    const after = numberIn(headers['retry-after']);
    // A refusal may end long before the window.
    if (isRefused && after !== undefined) return this.now() + after * 1000;
    const reset = numberIn(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
    if (reset === undefined) return after === undefined ? undefined : this.now() + after * 1000;
    // The clock of the source may be another.
    const date = Date.parse(headers.date ?? '');
    const waitMs =
      reset < FIRST_TIME
        ? reset * 1000
        : Math.max(0, reset * 1000 - (Number.isNaN(date) ? this.now() : date));
    // Another limit than that of the window is met if requests remain in it.
    const isOther = isRefused && (remainingIn(headers) ?? 0) > 0;
    return this.now() + (isOther ? Math.min(waitMs, OTHER_LIMIT_MS) : waitMs);
  }
}

const nameOf = (key: string, ofClass: string): string => `${ofClass} ${key}`;

const remainingIn = (headers: IncomingHttpHeaders): number | undefined =>
  numberIn(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']);

function numberIn(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}
