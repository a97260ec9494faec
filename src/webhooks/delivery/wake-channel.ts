import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { WebhookSettings } from './webhook-settings';

/** Commits within this time are one message, in milliseconds. */
const GATHER_MS = 50;
/** How long the last message is waited for at stop, in milliseconds. */
const LAST_MESSAGE_MS = 200;
/** Messages without an answer, beyond which none is sent. */
const MAX_UNANSWERED = 100;

type Client = Awaited<ReturnType<typeof createRedisClient>>;

/** The package is loaded here, because it would take every process 20 MB and a tenth of a second at start. */
async function createRedisClient(url: string) {
  const { createClient } = await import('@redis/client');
  return createClient({ url, commandsQueueMaxLength: MAX_UNANSWERED });
}

/**
 * Tells the other processes, over Redis when there is one, that deliveries are due. A message is a hint and nothing more: when
 * it gets lost, or Redis does, the others' polls find the deliveries.
 */
@Injectable()
export class WakeChannel implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(WakeChannel.name);
  /** All that a message says; a process leaves its own alone. */
  private readonly processId = randomUUID();
  private client?: Client;
  private gathering?: NodeJS.Timeout;
  private listener?: () => void;
  private isDown = false;
  private isStopping = false;

  constructor(private readonly settings: WebhookSettings) {}

  /** Has something done whenever another process has announced. */
  onHeard(listener: () => void): void {
    this.listener = listener;
  }

  /** Tells the other processes that deliveries are due, in a moment. */
  announce(): void {
    if (!this.client || this.isStopping) return;
    this.gathering ??= setTimeout(() => void this.publish(), GATHER_MS);
  }

  async onApplicationBootstrap(): Promise<void> {
    const { redisUrl } = this.settings;
    if (redisUrl === undefined) return;
    const client = await createRedisClient(redisUrl);
    this.client = client;
    client.on('error', (error) => this.tellDown(error));
    client.on('ready', () => void this.subscribe(client));
    // Not awaited, because nothing waits for Redis. It tries again by itself, and 'error' tells what is wrong.
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

  /** At each connection, because the client makes only those subscriptions again that were made once. */
  private async subscribe(client: Client): Promise<void> {
    if (this.isStopping) {
      // The client does not give up a connection that comes about while it is destroyed.
      client.destroy();
      return;
    }
    try {
      await client.subscribe(this.settings.wakeChannel, this.hear);
    } catch (error) {
      this.tellDown(error);
      return;
    }
    if (this.isDown) this.logger.log('Redis is back: processes wake each other again');
    this.isDown = false;
  }

  private readonly hear = (sender: string): void => {
    if (sender !== this.processId) this.listener?.();
  };

  private async publish(): Promise<void> {
    this.gathering = undefined;
    if (!this.client?.isReady) return;
    try {
      await this.client.publish(this.settings.wakeChannel, this.processId);
    } catch (error) {
      this.tellDown(error);
    }
  }

  /** Once for each time that it is down, and without the error itself, which could show the URL. */
  private tellDown(error: unknown): void {
    if (this.isDown || this.isStopping) return;
    this.isDown = true;
    const { message, code } = error as NodeJS.ErrnoException;
    this.logger.warn(
      `Redis cannot be used (${message || code}): processes do not wake each other, and poll for deliveries`,
    );
  }
}
