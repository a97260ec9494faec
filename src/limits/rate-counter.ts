import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Most keys that are counted at once; beyond that, the least recently used are forgotten. */
export const MAX_KEYS = 10_000;

/** What has been counted of a key in its window. */
export interface Count {
  count: number;
  /** Milliseconds until the window ends. */
  msLeft: number;
}

/** Counts the events of keys in windows of time, each of which begins with an event. */
export interface RateCounter {
  /** Counts one event. */
  add(key: string): Promise<Count>;
  /** What has been counted; undefined when no window has begun. */
  get(key: string): Promise<Count | undefined>;
}

/** The part of the limiters of `rate-limiter-flexible` that counts. */
export interface Limiter {
  consume(key: string, events?: number): Promise<RateLimiterRes>;
  get(key: string): Promise<RateLimiterRes | null>;
}

/**
 * Counts with a limiter, whose own limit is of no concern.
 * @throws whatever the limiter's storage throws
 */
export async function addTo(limiter: Limiter, key: string, events = 1): Promise<Count> {
  try {
    return toCount(await limiter.consume(key, events));
  } catch (result) {
    if (result instanceof RateLimiterRes) return toCount(result);
    throw result;
  }
}

/** What a limiter has counted. @throws whatever its storage throws */
export async function readFrom(limiter: Limiter, key: string): Promise<Count | undefined> {
  const result = await limiter.get(key);
  return result && result.msBeforeNext > 0 ? toCount(result) : undefined;
}

const toCount = ({ consumedPoints, msBeforeNext }: RateLimiterRes): Count => ({
  count: consumedPoints,
  msLeft: msBeforeNext,
});

/** Counts in the memory of this process. */
export class MemoryCounter implements RateCounter {
  private readonly limiter: RateLimiterMemory;
  /** Made with the first key: it takes its room at once. */
  private counted?: LRUCache<string, true>;

  /** @param windowSeconds from the first event on */
  constructor(limit: number, windowSeconds: number) {
    this.limiter = new RateLimiterMemory({ points: limit, duration: windowSeconds });
  }

  add(key: string): Promise<Count> {
    this.counted ??= new LRUCache({
      max: MAX_KEYS,
      dispose: (_value, evicted, reason) => {
        if (reason === 'evict') void this.limiter.delete(evicted);
      },
    });
    this.counted.set(key, true);
    return addTo(this.limiter, key);
  }

  get(key: string): Promise<Count | undefined> {
    return readFrom(this.limiter, key);
  }
}
