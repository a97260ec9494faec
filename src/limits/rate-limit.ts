import { LRUCache } from 'lru-cache';
import { type LimitName, TooManyRequestsError } from '../errors/domain-errors';
import { type Count, MAX_KEYS, MemoryCounter, type RateCounter } from './rate-counter';

/** The remaining budget of a key. */
export interface Allowance {
  /** Number of events allowed in a window. */
  limit: number;
  /** Number of events left. */
  remaining: number;
  /** End of the window, in seconds since 1970. */
  reset: number;
}

/** Limits the events of each key, such as a user or an address, in a window of time. */
export class RateLimit {
  /** Created with the first key, because it allocates all its memory at once. */
  private exceeded?: LRUCache<string, true>;

  /**
   * @param name for the operator
   * @param limit events in a window; 0 = no limit
   * @param windowSeconds from the first event
   * @param counter counts in this process by default
   */
  constructor(
    private readonly name: LimitName,
    private readonly limit: number,
    private readonly windowSeconds: number,
    private readonly counter: RateCounter = new MemoryCounter(limit, windowSeconds),
  ) {}

  /**
   * Counts one event.
   * @throws TooManyRequestsError past the limit
   */
  async count(key: string): Promise<Allowance> {
    if (this.limit === 0) return this.allowance();
    const counted = this.bounded(await this.counter.add(key));
    if (counted.count > this.limit) {
      this.exceeded ??= new LRUCache({ max: MAX_KEYS, ttlAutopurge: true, ttl: 1 });
      this.exceeded.set(key, true, { ttl: counted.msLeft });
      throw TooManyRequestsError.after(this.name, this.limit, counted.msLeft);
    }
    return this.allowance(counted);
  }

  /** Returns the remaining budget of a key without consuming it. */
  async peek(key: string): Promise<Allowance> {
    const counted = await this.counter.get(key);
    return this.allowance(counted && this.bounded(counted));
  }

  /** Whether a key has exceeded the limit in its window; costs nothing while no key has. */
  isExceeded(key: () => string): boolean {
    return this.exceeded !== undefined && this.exceeded.size > 0 && this.exceeded.has(key());
  }

  /** Returns the remaining budget for a count; all of it, when no window is open. */
  allowance(counted: Count = { count: 0, msLeft: this.windowSeconds * 1000 }): Allowance {
    return {
      limit: this.limit,
      remaining: Math.max(0, this.limit - counted.count),
      reset: Math.ceil((Date.now() + counted.msLeft) / 1000),
    };
  }

  /** Limits the rest of a window to its full length, in case the clock has been changed. */
  private bounded({ count, msLeft }: Count): Count {
    return { count, msLeft: Math.min(Math.max(1, msLeft), this.windowSeconds * 1000) };
  }
}
