import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { TransactionsService } from '../../database/transactions.service';
import { WebhookEventRepository } from './data/webhook-event.repository';
import { WebhookSettings } from './webhook-settings';

const INTERVAL_MS = 10 * 60_000;
const BATCH = 200;

/** Removes deliveries whose retention period is over, a few in each transaction. */
@Injectable()
export class DeliveryRetentionService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(DeliveryRetentionService.name);
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly events: WebhookEventRepository,
    private readonly transactions: TransactionsService,
    private readonly settings: WebhookSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.removeOld().catch((error: unknown) =>
        this.logger.error({ err: error }, 'Could not remove old deliveries'),
      );
    }, INTERVAL_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Removes old events with their deliveries and attempts; returns how many. */
  async removeOld(now = Date.now()): Promise<number> {
    let removed = 0;
    for (;;) {
      const events = await this.events.findOldest(BATCH);
      const old = events.filter(({ created }) => created < now - this.settings.retention).map(({ id }) => id);
      if (old.length > 0) await this.transactions.run((manager) => this.events.remove(manager, old));
      removed += old.length;
      if (old.length < BATCH) return removed;
    }
  }
}
