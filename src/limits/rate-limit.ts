import { LRUCache } from 'lru-cache';
import { type LimitName, TooManyRequestsError } from '../errors/domain-errors';
import { type Count, MAX_KEYS, MemoryCounter, type RateCounter } from './rate-counter';

/** What a key has left of a limit. */
export interface Allowance {
  /** Events in a window. */
  limit: number;
  /** How many are left of them. */
  remaining: number;
  /** When the window ends, in seconds since 1970. */
  reset: number;
}

/** Limits the events of each key, such as a user or an address, in a window of time. */
export class RateLimit {
  /** Made with the first key: it takes its room at once. */
  private exceeded?: LRUCache<string, true>;

  /**
   * @param name for the operator
   * @param limit events in a window; 0 = no limit
   * @param windowSeconds from the first event on
   * @param counter counts in this process unless given
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

  /** What a key has left; counts nothing. */
  async look(key: string): Promise<Allowance> {
    const counted = await this.counter.get(key);
    return this.allowance(counted && this.bounded(counted));
  }

  /** Whether the window of a key has seen more than the limit; costs nothing while none has. */
  isExceeded(key: () => string): boolean {
    return this.exceeded !== undefined && this.exceeded.size > 0 && this.exceeded.has(key());
  }

  /** What a key has left that has used so much; all of it, when no window has begun. */
  allowance(counted: Count = { count: 0, msLeft: this.windowSeconds * 1000 }): Allowance {
    return {
      limit: this.limit,
      remaining: Math.max(0, this.limit - counted.count),
      reset: Math.ceil((Date.now() + counted.msLeft) / 1000),
    };
  }

  /** No window is longer than it was at its beginning, whatever the clock has been set to since. */
  private bounded({ count, msLeft }: Count): Count {
    return { count, msLeft: Math.min(Math.max(1, msLeft), this.windowSeconds * 1000) };
  }
}
