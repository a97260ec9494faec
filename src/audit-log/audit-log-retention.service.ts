import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Environment } from '../config/environment';
import { BackgroundWork } from '../database/background-work';
import { inBatches } from '../database/in-batches';
import { TransactionsService } from '../database/transactions.service';
import { AuditLogRepository } from './data/audit-log.repository';

const DAY_MS = 24 * 60 * 60_000;
const INTERVAL_MS = 60 * 60_000;
/** The number of entries removed in one transaction. */
const BATCH = 500;

/** Removes the entries of the audit log whose time is over, a few in each transaction. */
@Injectable()
export class AuditLogRetentionService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AuditLogRetentionService.name);
  private readonly background = new BackgroundWork(
    'audit_log_retention',
    () => this.removeOld(),
    INTERVAL_MS,
    (error) => this.logger.error({ err: error }, 'Could not remove old entries of the audit log'),
  );

  constructor(
    private readonly environment: Environment,
    private readonly entries: AuditLogRepository,
    private readonly transactions: TransactionsService,
  ) {}

  onApplicationBootstrap(): void {
    if (this.environment.AUDIT_LOG_DAYS > 0) this.background.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.background.stop();
  }

  /** Removes the entries that are too old. */
  async removeOld(now = Date.now()): Promise<void> {
    const before = now - this.environment.AUDIT_LOG_DAYS * DAY_MS;
    await inBatches(BATCH, (limit) =>
      this.background.isStopping
        ? Promise.resolve(0)
        : this.transactions.run((manager) => this.entries.removeOlder(manager, before, limit)),
    );
  }
}
