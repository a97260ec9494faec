import { setImmediate as endOfTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import {
  addTo,
  type Count,
  type Limiter,
  MAX_KEYS,
  MemoryCounter,
  type RateCounter,
  readFrom,
} from './rate-counter';

/** Runs operations in Redis, or in memory while Redis is unavailable. */
interface RedisFallback {
  attempt<T>(inRedis: () => Promise<T>, inMemory: () => Promise<T>): Promise<T>;
}

/** Events of one key that are counted together. */
interface EventBatch {
  events: number;
  /** The count including all of them. */
  counted: Promise<Count>;
}

/** Counts together with the other processes, or in memory while that is not possible. */
export class SharedCounter implements RateCounter {
  private readonly memory: MemoryCounter;
  /** Events of this turn of the event loop by key; they share a command, because each command costs a tenth of a small request. */
  private readonly gathered = new Map<string, EventBatch>();
  /** Keys past the limit until the end of their windows, so that refusing a flood of requests does not cause a flood of commands. */
  private exceeded?: LRUCache<string, true>;

  /** @param limiter the shared one, only requested while Redis works */
  constructor(
    private readonly redis: RedisFallback,
    private readonly limiter: () => Limiter,
    private readonly limit: number,
    windowSeconds: number,
  ) {
    this.memory = new MemoryCounter(limit, windowSeconds);
  }

  async add(key: string): Promise<Count> {
    const msLeft = this.exceeded?.getRemainingTTL(key) ?? 0;
    if (msLeft > 0) return { count: this.limit + 1, msLeft };
    return this.redis.attempt(
      () => this.addShared(key),
      () => this.memory.add(key),
    );
  }

  get(key: string): Promise<Count | undefined> {
    return this.redis.attempt(
      () => readFrom(this.limiter(), key),
      () => this.memory.get(key),
    );
  }

  private async addShared(key: string): Promise<Count> {
    let gathered = this.gathered.get(key);
    if (!gathered) {
      gathered = { events: 0, counted: this.addBatch(key) };
      this.gathered.set(key, gathered);
    }
    const place = ++gathered.events;
    const { count, msLeft } = await gathered.counted;
    return { count: count - gathered.events + place, msLeft };
  }

  private async addBatch(key: string): Promise<Count> {
    await endOfTurn();
    const events = this.gathered.get(key)?.events;
    this.gathered.delete(key);
    const counted = await addTo(this.limiter(), key, events);
    if (counted.count > this.limit) {
      this.exceeded ??= new LRUCache({ max: MAX_KEYS, ttlAutopurge: true, ttl: 1 });
      this.exceeded.set(key, true, { ttl: Math.max(1, counted.msLeft) });
    }
    return counted;
  }
}
