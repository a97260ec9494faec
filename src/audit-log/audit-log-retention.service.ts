import { Injectable } from '@nestjs/common';
import { Environment } from '../config/environment';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { TransactionsService } from '../database/transactions/transactions.service';
import { AuditLogRepository } from './data/audit-log.repository';

const DAY_MS = 24 * 60 * 60_000;
const INTERVAL_MS = 60 * 60_000;
/** Number of entries removed in one transaction. */
const BATCH = 500;

/** Removes expired entries of the audit log in small transactions. */
@Injectable()
export class AuditLogRetentionService {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly environment: Environment,
    private readonly entries: AuditLogRepository,
    private readonly transactions: TransactionsService,
  ) {
    this.background = background.add('audit_log_retention', () => this.removeOld(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove old entries of the audit log',
    });
  }

  /** Removes expired entries, unless retention is unlimited. */
  async removeOld(now = Date.now()): Promise<void> {
    if (this.environment.AUDIT_LOG_DAYS === 0) return;
    const before = now - this.environment.AUDIT_LOG_DAYS * DAY_MS;
    await this.background.inBatches(BATCH, (limit) =>
      this.transactions.run((manager) => this.entries.removeOlder(manager, before, limit)),
    );
  }
}
