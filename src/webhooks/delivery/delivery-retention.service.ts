import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { placeholders } from '../../database/statements';
import { TransactionsService } from '../../database/transactions.service';
import { WebhookSettings } from './webhook-settings';

const INTERVAL_MS = 10 * 60_000;
const BATCH = 200;

/** Removes what is older than deliveries are kept, a little at a time. */
@Injectable()
export class DeliveryRetentionService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(DeliveryRetentionService.name);
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly dataSource: DataSource,
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

  /** Removes old events with their deliveries and attempts; gives how many. Ids follow time, so the oldest come first. */
  async removeOld(now = Date.now()): Promise<number> {
    let removed = 0;
    for (;;) {
      const rows = await this.dataSource.query<{ id: number; created: number }[]>(
        'SELECT id, created FROM webhook_event ORDER BY id LIMIT ?',
        [BATCH],
      );
      const old = rows.filter((row) => row.created < now - this.settings.retention).map((row) => row.id);
      if (old.length > 0) {
        await this.transactions.run((manager) =>
          manager.query(`DELETE FROM webhook_event WHERE id IN (${placeholders(old)})`, old),
        );
      }
      removed += old.length;
      if (old.length < BATCH) return removed;
    }
  }
}
