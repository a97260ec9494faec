import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { BackgroundService } from '../background/background.service';
import { type BackgroundWork } from '../background/background-work';
import { TransactionsService } from '../database/transactions/transactions.service';
import { NotificationsService } from '../notifications/notifications.service';
import { CommentThreadRepository } from './data/comment-thread.repository';

/** Maximum number of rows removed per transaction, and of threads read at once. */
const BATCH = 1000;
/** Interval between searches for threads that a stopped process has not fully removed, in milliseconds. */
const INTERVAL_MS = 60_000;

/**
 * Removes threads. A thread of usual length is removed at once. The rest of a long one, which is no longer reachable, is removed in short
 * transactions after the one that removed its owner. After a crash, the removal resumes where it stopped.
 */
@Injectable()
export class ThreadRemovalService {
  private readonly background: BackgroundWork;

  constructor(
    background: BackgroundService,
    private readonly threads: CommentThreadRepository,
    private readonly notifications: NotificationsService,
    private readonly transactions: TransactionsService,
  ) {
    this.background = background.add('thread_removal', () => this.resumeRemovals(), {
      intervalMs: INTERVAL_MS,
      failure: 'Could not remove the rest of removed threads',
    });
  }

  /** Removes a thread whose owner no longer exists. */
  async remove(manager: EntityManager, threadId: number): Promise<void> {
    if ((await this.removeContent(manager, [threadId], BATCH)) < BATCH) {
      await this.threads.delete(manager, [threadId]);
    } else {
      await this.threads.markRemoved(manager, threadId);
      this.transactions.afterCommit(manager, () => this.background.start());
    }
  }

  /** Removes up to `limit` notifications and comments of threads, and returns the number removed. */
  async removeContent(manager: EntityManager, threadIds: readonly number[], limit: number): Promise<number> {
    const notifications = await this.notifications.removeOfThreads(manager, threadIds, limit);
    if (notifications >= limit) return notifications;
    const rest = limit - notifications;
    return notifications + (await this.threads.deleteComments(manager, threadIds, rest));
  }

  private async resumeRemovals(): Promise<void> {
    for (const id of await this.threads.findRemovedIds(BATCH)) await this.removeInBatches(id);
  }

  private async removeInBatches(threadId: number): Promise<void> {
    await this.background.inBatches(BATCH, (limit) =>
      this.transactions.run((manager) => this.removeContent(manager, [threadId], limit)),
    );
    if (this.background.isStopping) return;
    await this.transactions.run((manager) => this.threads.delete(manager, [threadId]));
  }
}
