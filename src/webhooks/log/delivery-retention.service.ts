import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { BackgroundService } from '../../background/background.service';
import { type BackgroundWork } from '../../background/background-work';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { DeliveryRepository } from '../data/delivery.repository';
import { WebhookEventRepository } from '../data/webhook-event.repository';
import { WebhookSettings } from '../sending/webhook-settings';

const INTERVAL_MS = 10 * 60_000;
/** Events and deliveries removed in one transaction. */
const BATCH = 200;

/** Removes deliveries after their retention period, a few in each transaction. */
@Injectable()
export class DeliveryRetentionService {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly events: WebhookEventRepository,
    private readonly deliveries: DeliveryRepository,
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
      if (old.length === 0) return removed;
      const batch = await this.transactions.run((manager) => this.removeSome(manager, old));
      removed += batch.events;
      const isLast = old.length < BATCH && batch.deliveries < BATCH;
      if (isLast || this.background.isStopping) return removed;
    }
  }

  /** Removes some deliveries of events with their attempts, and the events that have no others: an event has up to a thousand. */
  private async removeSome(
    manager: EntityManager,
    eventIds: readonly number[],
  ): Promise<{ deliveries: number; events: number }> {
    const ids = await this.deliveries.lockSomeOfEvents(manager, eventIds, BATCH);
    if (ids.length > 0) await this.deliveries.remove(manager, ids);
    return { deliveries: ids.length, events: await this.events.removeUndelivered(manager, eventIds) };
  }
}
