import {
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundWork } from '../../database/background-work';
import { inBatches } from '../../database/in-batches';
import { affectedRows, inList, selectForUpdate } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { ProjectRemovalService } from '../../projects/project-removal.service';

/** As many deliveries go in one transaction. */
const BATCH = 200;
/** How often what a stopped process has left is looked for, in milliseconds. */
const INTERVAL_MS = 60_000;
/**
 * How long a deleted webhook's row stays, in milliseconds: a change that met the webhook just before could not be written if
 * the row that its delivery names were gone.
 */
const GRACE_MS = 10 * 60_000;

/**
 * Removes deleted webhooks with what was on its way to them, in short transactions after the one that deleted them. That
 * goes on where it was after a crash, and several processes may do it at once.
 */
@Injectable()
export class WebhookRemovalService implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(WebhookRemovalService.name);
  private readonly background = new BackgroundWork(
    () => this.removeDeleted(),
    INTERVAL_MS,
    (error) => this.logger.error({ err: error }, 'Could not remove what was on its way to a deleted webhook'),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
    private readonly projectRemoval: ProjectRemovalService,
  ) {}

  onModuleInit(): void {
    this.projectRemoval.register('webhooks', async (manager, projectId, limit) => {
      const webhooks = await manager.query<{ id: number }[]>('SELECT id FROM webhook WHERE project_id = ?', [
        projectId,
      ]);
      return removeDeliveries(
        manager,
        webhooks.map(({ id }) => id),
        limit,
      );
    });
    // No more than a counter lets be.
    this.projectRemoval.register('webhooks', (manager, projectId) =>
      affectedRows(manager, 'DELETE FROM webhook WHERE project_id = ?', [projectId]),
    );
  }

  onApplicationBootstrap(): void {
    this.background.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.background.stop();
  }

  /** Removes what is there to be removed, after what is being removed already. */
  start(): void {
    this.background.start();
  }

  /** Resolves when nothing is being removed. */
  whenIdle(): Promise<void> {
    return this.background.whenIdle();
  }

  private async removeDeleted(): Promise<void> {
    const webhooks = await this.dataSource.query<{ id: number; updated: number }[]>(
      'SELECT id, updated FROM webhook WHERE deleted = 1 ORDER BY id',
    );
    for (const { id, updated } of webhooks) {
      await inBatches(BATCH, (limit) =>
        this.background.isStopping
          ? Promise.resolve(0)
          : this.transactions.run((manager) => removeDeliveries(manager, [id], limit)),
      );
      if (this.background.isStopping) return;
      // Deleting it was its last change.
      if (updated < Date.now() - GRACE_MS) {
        await this.transactions.run((manager) => manager.query('DELETE FROM webhook WHERE id = ?', [id]));
      }
    }
  }
}

/** Removes up to `limit` deliveries with their attempts, and the events that were for nobody else; gives how many. */
async function removeDeliveries(
  manager: EntityManager,
  webhookIds: readonly number[],
  limit: number,
): Promise<number> {
  const webhooks = inList(webhookIds);
  const rows = await selectForUpdate<{ id: number; eventId: number }>(
    manager,
    `SELECT id, event_id AS eventId FROM webhook_delivery WHERE webhook_id ${webhooks.sql} LIMIT ${limit}`,
    webhooks.parameters,
  );
  if (rows.length === 0) return 0;
  const deliveries = inList(rows.map(({ id }) => id));
  await manager.query(`DELETE FROM webhook_delivery WHERE id ${deliveries.sql}`, deliveries.parameters);
  const events = inList(rows.map(({ eventId }) => eventId));
  await manager.query(
    `DELETE FROM webhook_event WHERE id ${events.sql}
        AND NOT EXISTS (SELECT 1 FROM webhook_delivery d WHERE d.event_id = webhook_event.id)`,
    events.parameters,
  );
  return rows.length;
}
