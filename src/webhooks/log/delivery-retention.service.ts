import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../../background/background.service';
import { type BackgroundWork } from '../../background/background-work';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { WebhookEventRepository } from '../data/webhook-event.repository';
import { WebhookSettings } from '../sending/webhook-settings';

const INTERVAL_MS = 10 * 60_000;
const BATCH = 200;

/** Removes deliveries after their retention period, a few in each transaction. */
@Injectable()
export class DeliveryRetentionService {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly events: WebhookEventRepository,
    private readonly transactions: TransactionsService,
    private readonly settings: WebhookSettings,
  ) {
    this.background = background.add('webhook_retention', () => this.removeOld(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove old deliveries',
    });
  }

  /** Removes old events with their deliveries and attempts; returns the number of events. */
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
