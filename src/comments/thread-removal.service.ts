import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { BackgroundWork } from '../database/background-work';
import { inBatches } from '../database/in-batches';
import { insertRow } from '../database/rows';
import { inList } from '../database/statements';
import { TransactionsService } from '../database/transactions.service';
import { RemovedThread } from './entities/removed-thread.entity';

/** As many rows go in one transaction. */
const BATCH = 1000;
/** How often what a stopped process has left is looked for, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Removes threads. What hangs on a usual one goes at once; of a long one the rest goes in short transactions after the one
 * that removed its owner, and nobody can reach it meanwhile. That goes on where it was after a crash.
 */
@Injectable()
export class ThreadRemovalService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ThreadRemovalService.name);
  private readonly background = new BackgroundWork(
    () => this.removeLeft(),
    INTERVAL_MS,
    (error) => this.logger.error({ err: error }, 'Could not remove comments of what is gone'),
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

  /** Removes a thread that nothing owns any more. */
  async remove(manager: EntityManager, threadId: number): Promise<void> {
    if ((await this.removeContent(manager, [threadId], BATCH)) < BATCH) {
      await this.removeEmpty(manager, [threadId]);
    } else {
      await insertRow(manager, RemovedThread, { threadId });
      this.transactions.afterCommit(manager, () => this.background.start());
    }
  }

  /** Removes up to `limit` notifications and comments of threads, and tells how many there were. */
  async removeContent(manager: EntityManager, threadIds: readonly number[], limit: number): Promise<number> {
    const notifications = await this.removeRows(manager, 'notification', threadIds, limit);
    if (notifications >= limit) return notifications;
    return notifications + (await this.removeRows(manager, 'comment', threadIds, limit - notifications));
  }

  /** Removes threads that hold no more than stars. */
  async removeEmpty(manager: EntityManager, threadIds: readonly number[]): Promise<void> {
    const list = inList(threadIds);
    await manager.query(`DELETE FROM comment_thread WHERE id ${list.sql}`, list.parameters);
  }

  private async removeRows(
    manager: EntityManager,
    table: 'comment' | 'notification',
    threadIds: readonly number[],
    limit: number,
  ): Promise<number> {
    const threads = inList(threadIds);
    const rows = await manager.query<{ id: number }[]>(
      `SELECT id FROM ${table} WHERE thread_id ${threads.sql} LIMIT ${limit}`,
      threads.parameters,
    );
    if (rows.length === 0) return 0;
    const list = inList(rows.map((row) => row.id));
    await manager.query(`DELETE FROM ${table} WHERE id ${list.sql}`, list.parameters);
    return rows.length;
  }

  private async removeLeft(): Promise<void> {
    const threads = await this.dataSource.query<{ id: number }[]>(
      'SELECT thread_id AS id FROM removed_thread ORDER BY thread_id LIMIT 1000',
    );
    for (const { id } of threads) await this.removeRest(id);
  }

  private async removeRest(threadId: number): Promise<void> {
    await inBatches(BATCH, (limit) =>
      this.background.isStopping
        ? Promise.resolve(0)
        : this.transactions.run((manager) => this.removeContent(manager, [threadId], limit)),
    );
    if (this.background.isStopping) return;
    await this.transactions.run((manager) => this.removeEmpty(manager, [threadId]));
  }
}
