import { type IncomingHttpHeaders } from 'node:http';

/** The shortest wait after a refusal, because the end of a window is given in whole seconds. */
const MIN_WAIT_MS = 250;
/** How far apart two readings of the same end may be. */
const SAME_MS = 2000;

interface Allowance {
  remaining: number;
  /** When it is full again, in milliseconds of this machine's clock. */
  until: number;
}

/** How many requests each key may still send, by the class in which the source counts them. */
export class Allowances {
  private readonly known = new Map<string, Allowance>();

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

  /** Reads what an answer says about the next requests. */
  note(key: string, ofClass: string, status: number, headers: IncomingHttpHeaders): void {
    const end = this.endOf(headers);
    // A source that is overloaded may also say when it accepts requests again.
    const isRefusal = status === 429 || (status === 503 && retryAfter(headers) !== undefined);
    const remaining = isRefusal ? 0 : numberIn(headers['x-ratelimit-remaining']);
    if (remaining === undefined || end === undefined) return;
    const until = isRefusal ? Math.max(end, this.now() + MIN_WAIT_MS) : end;
    const name = nameOf(key, ofClass);
    const before = this.known.get(name);
    // Answers can come in another order than that in which the source has counted them.
    const isSame = before !== undefined && Math.abs(before.until - until) < SAME_MS;
    this.known.set(name, { remaining: isSame ? Math.min(before.remaining, remaining) : remaining, until });
  }

  /** Returns when an answer says that its window ends, in milliseconds of this machine's clock. */
  private endOf(headers: IncomingHttpHeaders): number | undefined {
    const reset = numberIn(headers['x-ratelimit-reset']);
    if (reset !== undefined) {
      // The clock of the source may be another.
      const date = Date.parse(headers.date ?? '');
      return this.now() + Math.max(0, reset * 1000 - (Number.isNaN(date) ? this.now() : date));
    }
    const after = retryAfter(headers);
    return after === undefined ? undefined : this.now() + after * 1000;
  }
}

/** Returns after how many seconds a source accepts requests again, if it says so. */
export const retryAfter = (headers: IncomingHttpHeaders): number | undefined =>
  numberIn(headers['retry-after']);

const nameOf = (key: string, ofClass: string): string => `${ofClass} ${key}`;

function numberIn(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,12}$/.test(header) ? Number(header) : undefined;
}
