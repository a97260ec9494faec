import { Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { TransactionsService } from '../database/transactions/transactions.service';
import { ProjectRemovalService } from '../projects/project-removal.service';
import { MailLetterRepository } from './data/mail-letter.repository';

/** How long letters are kept, in milliseconds: for so long, the links in them end further ones. */
const RETENTION_MS = 30 * 24 * 60 * 60_000;
const INTERVAL_MS = 60 * 60_000;
/** Number of letters removed in one transaction. */
const BATCH = 500;

/** Removes old letters, whether they were sent or not, and those of deleted projects. */
@Injectable()
export class MailRetentionService implements OnModuleInit {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly letters: MailLetterRepository,
    private readonly transactions: TransactionsService,
    private readonly projectRemoval: ProjectRemovalService,
  ) {
    this.background = background.add('mail_retention', () => this.removeOld(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove old letters',
    });
  }

  onModuleInit(): void {
    // Those about notifications are removed with these.
    this.projectRemoval.register('notifications', (manager, projectId, limit) =>
      this.letters.removeOfProject(manager, projectId, limit),
    );
  }

  /** Removes letters after their retention period. */
  async removeOld(now = Date.now()): Promise<void> {
    let after = 0;
    await this.background.inBatches(BATCH, async (limit) => {
      const { count, last } = await this.transactions.run((manager) =>
        this.letters.removeOlder(manager, now - RETENTION_MS, { after, limit }),
      );
      after = last;
      return count;
    });
  }
}
