import { Injectable } from '@nestjs/common';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { Environment } from '../config/environment';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NotificationRepository } from './data/notification.repository';

const DAY_MS = 24 * 60 * 60_000;
const INTERVAL_MS = 60 * 60_000;
/** Number of notifications removed in one transaction. */
const BATCH = 500;

/** Removes notifications after their retention period in small transactions, whether they have been read or not. */
@Injectable()
export class NotificationRetentionService {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly environment: Environment,
    private readonly notifications: NotificationRepository,
    private readonly transactions: TransactionsService,
  ) {
    this.background = background.add('notification_retention', () => this.removeOld(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove old notifications',
    });
  }

  /** Removes expired notifications, unless retention is unlimited. */
  async removeOld(now = Date.now()): Promise<void> {
    const { NOTIFICATION_DAYS } = this.environment;
    if (NOTIFICATION_DAYS === 0) return;
    const before = now - NOTIFICATION_DAYS * DAY_MS;
    let after = 0;
    await this.background.inBatches(BATCH, async (limit) => {
      const { count, last } = await this.transactions.run((manager) =>
        this.notifications.deleteOlder(manager, before, { after, limit }),
      );
      after = last;
      return count;
    });
  }
}
