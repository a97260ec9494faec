import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { BackgroundService } from '../../background/background.service';
import { type BackgroundWork } from '../../background/background-work';
import { TransactionsService } from '../../database/transactions/transactions.service';
import { WikiHistoryRepository } from '../data/wiki-history.repository';

/** Maximum number of versions removed per transaction: 20 ms on the embedded database at the maximum length. */
const BATCH = 100;
/** Interval between searches for versions that a stopped process has left, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Removes the versions of deleted pages. A short history is removed in the transaction that deletes the page. A long one, which is no
 * longer reachable, is removed afterwards in short transactions; after a crash, the removal resumes.
 */
@Injectable()
export class WikiHistoryRemovalService {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly transactions: TransactionsService,
    private readonly history: WikiHistoryRepository,
  ) {
    this.background = background.add('wiki_history_removal', () => this.resumeRemovals(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove versions of wiki pages that are gone',
    });
  }

  /** Removes the history of a page that the transaction deletes. */
  async remove(manager: EntityManager, wikiId: number): Promise<void> {
    if ((await this.history.deleteOldest(manager, wikiId, BATCH)) < BATCH) return;
    await this.history.insertRemovedPage(manager, wikiId);
    this.transactions.afterCommit(manager, () => this.background.start());
  }

  private async resumeRemovals(): Promise<void> {
    for (const wikiId of await this.history.findRemovedPages()) await this.removeInBatches(wikiId);
  }

  private async removeInBatches(wikiId: number): Promise<void> {
    await this.background.inBatches(BATCH, (limit) =>
      this.transactions.run((manager) => this.history.deleteOldest(manager, wikiId, limit)),
    );
    if (this.background.isStopping) return;
    await this.transactions.run((manager) => this.history.deleteRemovedPage(manager, wikiId));
  }
}
