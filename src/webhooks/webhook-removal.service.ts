import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { DispatcherService } from './sending/dispatcher.service';
import { WebhookRepository } from './data/webhook.repository';
import { DeliveryRepository } from './data/delivery.repository';
import { WebhookEventRepository } from './data/webhook-event.repository';

/** Deliveries removed in one transaction. */
const BATCH = 200;
/** Interval of the search for unfinished removals of stopped processes, in milliseconds. */
const INTERVAL_MS = 60_000;
/**
 * How long a deleted webhook's row is kept, in milliseconds: a change that read the webhook just before its deletion needs the
 * row, because its delivery references it.
 */
const GRACE_MS = 10 * 60_000;

/**
 * Removes deleted webhooks with their deliveries, in short transactions after the one that deleted them. Continues after a
 * crash; several processes may run it concurrently.
 */
@Injectable()
export class WebhookRemovalService implements OnModuleInit {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly webhooks: WebhookRepository,
    private readonly deliveries: DeliveryRepository,
    private readonly events: WebhookEventRepository,
    private readonly transactions: TransactionsService,
    private readonly projectRemoval: ProjectRemovalService,
    private readonly dispatcher: DispatcherService,
  ) {
    this.background = background.add('webhook_removal', () => this.removeDeleted(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove the deliveries of a deleted webhook',
    });
  }

  onModuleInit(): void {
    this.projectRemoval.register('webhooks', async (manager, projectId, limit) => {
      const webhookIds = await this.webhooks.findAllIds(manager, projectId);
      return this.removeDeliveries(manager, webhookIds, limit);
    });
    // In one statement: a counter limits their number.
    this.projectRemoval.register('webhooks', (manager, projectId) =>
      this.webhooks.removeAll(manager, projectId),
    );
    this.projectRemoval.onDeleted(() => this.dispatcher.refresh());
  }

  /** Starts removing deleted webhooks, after a removal that is already running. */
  start(): void {
    this.background.start();
  }

  private async removeDeleted(): Promise<void> {
    for (const { id, updated } of await this.webhooks.findDeleted()) {
      await this.background.inBatches(BATCH, (limit) =>
        this.transactions.run((manager) => this.removeDeliveries(manager, [id], limit)),
      );
      if (this.background.isStopping) return;
      // Its deletion was its last change.
      if (updated < Date.now() - GRACE_MS) {
        await this.transactions.run((manager) => this.webhooks.remove(manager, id));
      }
    }
  }

  /**
   * Removes up to `limit` deliveries with their attempts, and the events that have no others; returns the number of deliveries.
   */
  private async removeDeliveries(
    manager: EntityManager,
    webhookIds: readonly number[],
    limit: number,
  ): Promise<number> {
    const rows = await this.deliveries.lockSome(manager, webhookIds, limit);
    if (rows.length === 0) return 0;
    const ids = rows.map(({ id }) => id);
    await this.deliveries.remove(manager, ids);
    const eventIds = rows.map(({ eventId }) => eventId);
    await this.events.removeUndelivered(manager, eventIds);
    return rows.length;
  }
}
