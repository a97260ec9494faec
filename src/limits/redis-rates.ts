import { Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { Environment } from '../config/environment';
import { createRedisClient, explainRedisFailure, type RedisClient } from '../redis/redis-client';
import { MemoryCounter, type RateCounter } from './rate-counter';
import { SharedCounter } from './shared-counter';

/** Maximum time that a request waits for Redis, in milliseconds. */
const MAX_WAIT_MS = 200;
/** Time for which Redis is not used after a failure, in milliseconds; then one request checks whether it is available again. */
const PAUSE_MS = 1000;
/** Maximum number of concurrent counts; further ones are counted in memory. */
const MAX_UNANSWERED = 1000;

/**
 * Counts in Redis together with the other processes of the database, if configured. While Redis is unavailable, each process
 * counts in its own memory; no request fails because of Redis, and none waits for it longer than a fifth of a second.
 */
@Injectable()
export class RedisRates implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger(RedisRates.name);
  private client?: RedisClient;
  /** End of the pause after a failure, on the monotonic clock; 0 = Redis works. */
  private pausedUntil = 0;
  private isDown = false;
  private isStopping = false;

  constructor(private readonly environment: Environment) {}

  async onModuleInit(): Promise<void> {
    const { REDIS_URL, RATE_LIMIT } = this.environment;
    if (REDIS_URL === undefined || !RATE_LIMIT) return;
    const client = await createRedisClient(REDIS_URL, MAX_UNANSWERED);
    this.client = client;
    client.on('error', (error) => this.logOutage(error));
    client.on('ready', () => {
      // The client does not close a connection that is established while it is being destroyed.
      if (this.isStopping) client.destroy();
    });
    // Not awaited, because nothing depends on Redis. The client reconnects automatically, and 'error' reports failures.
    client.connect().catch(() => undefined);
  }

  onApplicationShutdown(): void {
    this.isStopping = true;
    this.client?.destroy();
  }

  /** Whether processes currently count together, as far as this one knows. */
  get isShared(): boolean {
    return this.client?.isReady === true && this.pausedUntil === 0;
  }

  /** Creates a counter with its own name. */
  counter(name: string, limit: number, windowSeconds: number): RateCounter {
    const { REDIS_URL, databaseName } = this.environment;
    if (REDIS_URL === undefined) return new MemoryCounter(limit, windowSeconds);
    let limiter: RateLimiterRedis | undefined;
    const shared = (): RateLimiterRedis =>
      (limiter ??= new RateLimiterRedis({
        storeClient: this.client,
        useRedisPackage: true,
        points: limit,
        duration: windowSeconds,
        keyPrefix: `project-management-service:rate:${databaseName}:${name}`,
      }));
    return new SharedCounter(this, shared, limit, windowSeconds);
  }

  /** Runs an operation in Redis, or in memory if Redis is unavailable or does not answer in time. */
  async attempt<T>(inRedis: () => Promise<T>, inMemory: () => Promise<T>): Promise<T> {
    if (!this.mayTry()) return inMemory();
    try {
      const result = await withTimeout(inRedis());
      this.logRecovery();
      return result;
    } catch (error) {
      this.pausedUntil = performance.now() + PAUSE_MS;
      this.logOutage(error);
      return inMemory();
    }
  }

  /** During an outage, one request may try at the end of each pause. */
  private mayTry(): boolean {
    if (!this.client?.isReady) return false;
    if (this.pausedUntil === 0) return true;
    const now = performance.now();
    if (now < this.pausedUntil) return false;
    this.pausedUntil = now + PAUSE_MS;
    return true;
  }

  private logRecovery(): void {
    this.pausedUntil = 0;
    if (this.isDown) this.logger.log('Redis is available again: the processes share the counts of requests');
    this.isDown = false;
  }

  /** Logs each outage once. */
  private logOutage(error: unknown): void {
    if (this.isDown || this.isStopping) return;
    this.isDown = true;
    this.logger.warn(
      `Redis cannot be used (${explainRedisFailure(error)}): each process counts the requests of users separately`,
    );
  }
}

/** @throws Error when the work takes too long; its later result is ignored */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    // A response that arrived while the event loop was busy is processed before the timeout takes effect.
    timer = setTimeout(
      () => setImmediate(() => reject(new Error(`no answer within ${MAX_WAIT_MS} ms`))),
      MAX_WAIT_MS,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
