import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundWork } from '../database/background-work';
import { inBatches } from '../database/in-batches';
import { insertRow } from '../database/rows';
import { TransactionsService } from '../database/transactions.service';
import { RemovedWiki } from './entities/removed-wiki.entity';

/** As many versions go in one transaction: of the greatest length some 20 ms on the embedded database. */
const BATCH = 100;
/** How often what a stopped process has left is looked for, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Removes the versions of deleted pages. A usual history goes at once; a long one goes in short transactions after the one
 * that deleted its page, and nobody can reach it meanwhile. That goes on where it was after a crash.
 */
@Injectable()
export class WikiHistoryRemovalService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(WikiHistoryRemovalService.name);
  private readonly background = new BackgroundWork(
    () => this.removeLeft(),
    INTERVAL_MS,
    (error) => this.logger.error({ err: error }, 'Could not remove versions of wiki pages that are gone'),
  );

  constructor(
    private readonly dataSource: DataSource,
    private readonly transactions: TransactionsService,
  ) {}

  onApplicationBootstrap(): void {
    this.background.begin();
  }

  onModuleDestroy(): Promise<void> {
    return this.background.stop();
  }

  /** Resolves when nothing is being removed. */
  whenIdle(): Promise<void> {
    return this.background.whenIdle();
  }

  /** Removes the history of a page that the transaction deletes. */
  async remove(manager: EntityManager, wikiId: number): Promise<void> {
    if ((await removeVersions(manager, wikiId, BATCH)) < BATCH) return;
    await insertRow(manager, RemovedWiki, { wikiId });
    this.transactions.afterCommit(manager, () => this.background.start());
  }

  private async removeLeft(): Promise<void> {
    const pages = await this.dataSource.query<{ id: number }[]>(
      'SELECT wiki_id AS id FROM removed_wiki ORDER BY wiki_id LIMIT 1000',
    );
    for (const { id } of pages) await this.removeRest(id);
  }

  private async removeRest(wikiId: number): Promise<void> {
    await inBatches(BATCH, (limit) =>
      this.background.isStopping
        ? Promise.resolve(0)
        : this.transactions.run((manager) => removeVersions(manager, wikiId, limit)),
    );
    if (this.background.isStopping) return;
    await this.transactions.run((manager) =>
      manager.query('DELETE FROM removed_wiki WHERE wiki_id = ?', [wikiId]),
    );
  }
}

/** Removes up to `limit` versions of a page, the oldest first, and tells how many there were. */
async function removeVersions(manager: EntityManager, wikiId: number, limit: number): Promise<number> {
  const rows = await manager.query<{ version: number }[]>(
    `SELECT version FROM wiki_version WHERE wiki_id = ? ORDER BY version LIMIT ${limit}`,
    [wikiId],
  );
  const last = rows.at(-1);
  if (!last) return 0;
  await manager.query('DELETE FROM wiki_version WHERE wiki_id = ? AND version <= ?', [wikiId, last.version]);
  return rows.length;
}
