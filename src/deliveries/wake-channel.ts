import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { createRedisClient, explainRedisFailure, type RedisClient } from '../redis/redis-client';
import { DeliverySettings } from './delivery-settings';

/** Interval within which commits share one message, in milliseconds. */
const GATHER_MS = 50;
/** How long to wait for the last message at shutdown, in milliseconds. */
const LAST_MESSAGE_MS = 200;
/** Maximum number of unanswered messages; no others are sent beyond it. */
const MAX_UNANSWERED = 100;

/**
 * Notifies the other processes over Redis, if configured, that deliveries are due. A message is only a hint: if it is lost, or
 * Redis is down, the other processes find the deliveries when they poll.
 */
@Injectable()
export class WakeChannel implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(WakeChannel.name);
  /** Content of this process's messages, by which it ignores them. */
  private readonly processId = randomUUID();
  private client?: RedisClient;
  private gathering?: NodeJS.Timeout;
  private readonly listeners: (() => void)[] = [];
  private isDown = false;
  private isStopping = false;

  constructor(private readonly settings: DeliverySettings) {}

  /** Adds a listener that is called for each message of another process. */
  onHeard(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Notifies the other processes that deliveries are due, shortly after the call. */
  announce(): void {
    if (!this.client || this.isStopping) return;
    this.gathering ??= setTimeout(() => void this.publish(), GATHER_MS);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { redisUrl } = this.settings;
    if (redisUrl === undefined) return;
    const client = await createRedisClient(redisUrl, MAX_UNANSWERED);
    this.client = client;
    client.on('error', (error) => this.logOutage(error));
    client.on('ready', () => void this.subscribe(client));
    // Not awaited, because startup does not depend on Redis. The client reconnects automatically, and 'error' reports failures.
    client.connect().catch(() => undefined);
  }

  async onApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    if (this.gathering) {
      clearTimeout(this.gathering);
      await Promise.race([this.publish(), sleep(LAST_MESSAGE_MS, undefined, { ref: false })]);
    }
    this.client?.destroy();
  }

  /** Subscribes at each connection: the client renews only subscriptions that have succeeded once. */
  private async subscribe(client: RedisClient): Promise<void> {
    if (this.isStopping) {
      // The client does not close a connection that is established while it is being destroyed.
      client.destroy();
      return;
    }
    try {
      await client.subscribe(this.settings.wakeChannel, this.hear);
    } catch (error) {
      this.logOutage(error);
      return;
    }
    if (this.isDown) this.logger.log('Redis is available again: processes notify each other');
    this.isDown = false;
  }

  private readonly hear = (sender: string): void => {
    if (sender === this.processId) return;
    for (const listener of this.listeners) listener();
  };

  private async publish(): Promise<void> {
    this.gathering = undefined;
    if (!this.client?.isReady) return;
    try {
      await this.client.publish(this.settings.wakeChannel, this.processId);
    } catch (error) {
      this.logOutage(error);
    }
  }

  /** Logs each outage once. */
  private logOutage(error: unknown): void {
    if (this.isDown || this.isStopping) return;
    this.isDown = true;
    this.logger.warn(
      `Redis cannot be used (${explainRedisFailure(error)}): processes do not notify each other, and poll for deliveries`,
    );
  }
}
