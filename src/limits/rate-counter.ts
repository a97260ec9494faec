import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** Maximum number of keys counted at once; beyond it, the least recently used are evicted. */
export const MAX_KEYS = 10_000;

/** The count of a key in its window. */
export interface Count {
  count: number;
  /** Milliseconds until the window ends. */
  msLeft: number;
}

/** Counts the events of keys in time windows, each of which starts with an event. */
export interface RateCounter {
  /** Counts one event. */
  add(key: string): Promise<Count>;
  /** Returns the count of a key, or undefined when no window is open. */
  get(key: string): Promise<Count | undefined>;
}

/** The counting methods of the limiters of `rate-limiter-flexible`. */
export interface Limiter {
  consume(key: string, events?: number): Promise<RateLimiterRes>;
  get(key: string): Promise<RateLimiterRes | null>;
}

/**
 * Adds events to a limiter; its own limit is ignored.
 * @throws any error of the limiter's storage
 */
export async function addTo(limiter: Limiter, key: string, events = 1): Promise<Count> {
  try {
    return toCount(await limiter.consume(key, events));
  } catch (result) {
    if (result instanceof RateLimiterRes) return toCount(result);
    throw result;
  }
}

/** Returns the count of a limiter. @throws any error of its storage */
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
  /** Created with the first key, because it allocates all its memory at once. */
  private counted?: LRUCache<string, true>;

  /** @param windowSeconds from the first event */
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
