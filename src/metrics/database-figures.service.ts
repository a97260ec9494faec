import { Injectable, Logger } from '@nestjs/common';
import { LimitedLogger } from '../logging/limited-logger';
import { type MailBacklog, MailStatusService } from '../mail/mail-status.service';
import { DeliveryBacklogService } from '../webhooks/log/delivery-backlog.service';

/** The backlogs of webhooks and of mail. */
export interface Figures {
  webhooks: Awaited<ReturnType<DeliveryBacklogService['read']>>;
  mail: MailBacklog;
}

/** How long figures are cached, in milliseconds, regardless of the number of scrapes. */
const CURRENT_MS = 10_000;
/** Maximum time that a scrape waits for them, in milliseconds. */
const DEADLINE_MS = 2000;

/** Provides the figures that metrics read from the database. */
@Injectable()
export class DatabaseFiguresService {
  private readonly logger = new LimitedLogger(new Logger(DatabaseFiguresService.name));
  private last?: { figures: Figures; at: number };
  /** Only one reading runs at a time, so that scrapes do not pile up on a hanging database. Never rejects. */
  private reading?: Promise<void>;

  constructor(
    private readonly backlog: DeliveryBacklogService,
    private readonly mail: MailStatusService,
  ) {}

  /** Returns the figures, at most some seconds old; undefined when the database does not answer in time. */
  async current(): Promise<Figures | undefined> {
    if (!this.isCurrent) await this.waitAtMost(DEADLINE_MS, (this.reading ??= this.read()));
    return this.isCurrent ? this.last?.figures : undefined;
  }

  private get isCurrent(): boolean {
    return this.last !== undefined && performance.now() - this.last.at < CURRENT_MS;
  }

  private async read(): Promise<void> {
    try {
      const figures = { webhooks: await this.backlog.read(), mail: await this.mail.readBacklog() };
      this.last = { figures, at: performance.now() };
    } catch (error) {
      this.logger.error({ err: error }, 'Could not read figures for metrics');
    } finally {
      this.reading = undefined;
    }
  }

  private async waitAtMost(ms: number, promise: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([promise, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
    clearTimeout(timer);
  }
}
