import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { TooManyRequestsError } from '../errors/domain-errors';

/** Most keys that are counted at once; beyond that, the oldest are forgotten. */
const MAX_KEYS = 10_000;

/** Limits the events of each key, such as a user or an address, in a window of time; counted in this process. */
export class RateLimit {
  private readonly limiter: RateLimiterMemory;
  private readonly counted: LRUCache<string, true>;
  private readonly exceeded = new LRUCache<string, true>({ max: MAX_KEYS, ttlAutopurge: true, ttl: 1 });

  /**
   * @param limit events in a window; 0 = no limit
   * @param windowSeconds from the first event on
   */
  constructor(
    private readonly limit: number,
    windowSeconds: number,
  ) {
    const limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
    this.limiter = limiter;
    this.counted = new LRUCache({
      max: MAX_KEYS,
      dispose: (_value, key, reason) => {
        if (reason === 'evict') void limiter.delete(key);
      },
    });
  }

  /**
   * Counts one event.
   * @throws TooManyRequestsError past the limit
   */
  async count(key: string): Promise<void> {
    if (this.limit === 0) return;
    this.counted.set(key, true);
    try {
      await this.limiter.consume(key);
    } catch (result) {
      const { msBeforeNext } = result as RateLimiterRes;
      this.exceeded.set(key, true, { ttl: msBeforeNext });
      throw TooManyRequestsError.after(this.limit, msBeforeNext);
    }
  }

  /** Whether the window of a key has seen more than the limit; costs nothing while none has. */
  isExceeded(key: () => string): boolean {
    return this.exceeded.size > 0 && this.exceeded.has(key());
  }
}
