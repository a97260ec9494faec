import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundWork } from '../../database/background-work';
import { TransactionsService } from '../../database/transactions.service';
import { WebhookEventRepository } from './data/webhook-event.repository';
import { WebhookSettings } from './webhook-settings';

const INTERVAL_MS = 10 * 60_000;
const BATCH = 200;

/** Removes deliveries whose retention period is over, a few in each transaction. */
@Injectable()
export class DeliveryRetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(DeliveryRetentionService.name);
  private readonly background = new BackgroundWork(
    'webhook_retention',
    async () => {
      await this.removeOld();
    },
    INTERVAL_MS,
    (error) => this.logger.error({ err: error }, 'Could not remove old deliveries'),
  );

  constructor(
    private readonly events: WebhookEventRepository,
    private readonly transactions: TransactionsService,
    private readonly settings: WebhookSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.background.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.background.stop();
  }

  /** Removes old events with their deliveries and attempts; returns how many. */
  async removeOld(now = Date.now()): Promise<number> {
    let removed = 0;
    for (;;) {
      const events = await this.events.findOldest(BATCH);
      const old = events.filter(({ created }) => created < now - this.settings.retention).map(({ id }) => id);
      if (old.length > 0) await this.transactions.run((manager) => this.events.remove(manager, old));
      removed += old.length;
      if (old.length < BATCH || this.background.isStopping) return removed;
    }
  }
}
