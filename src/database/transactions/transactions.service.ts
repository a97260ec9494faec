import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isRetryable } from '../connections/database-errors';
import { endTransactionsAt, statementLimit } from '../connections/statement-limit';

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 300;
/** Maximum time for all attempts at a transaction, in milliseconds, unless the limit of a statement is lower. */
const DEFAULT_LIMIT_MS = 60_000;

/** What follows a commit. */
export type FollowUp = () => void | Promise<void>;

/** Runs a use case's writes as one transaction. */
@Injectable()
export class TransactionsService {
  private readonly followUps = new WeakMap<EntityManager, FollowUp[]>();

  constructor(private readonly dataSource: DataSource) {}

  /**
   * Runs `work` in a transaction and commits it; any error rolls it back. After a deadlock or a lock wait timeout, the whole of `work` runs
   * again, so it must do nothing but use the database through the given manager. All attempts together have the time limit of one statement
   * (`limitStatements`): on a cluster, where the first node to write a row wins, one of many writers can lose more often than any small
   * number of attempts allows.
   */
  async run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { result, followUps } = await this.commit(work);
    // What has been committed must not run again, whatever happens to what follows.
    await Promise.all(followUps.map(async (followUp) => followUp()));
    return result;
  }

  private async commit<T>(
    work: (manager: EntityManager) => Promise<T>,
  ): Promise<{ result: T; followUps: FollowUp[] }> {
    const end = performance.now() + Math.min(statementLimit(this.dataSource), DEFAULT_LIMIT_MS);
    for (let attempt = 1; ; attempt++) {
      let followUps: FollowUp[] = [];
      try {
        const result = await this.runOnce(end, (manager) => {
          followUps = [];
          this.followUps.set(manager, followUps);
          return work(manager);
        });
        return { result, followUps };
      } catch (error) {
        const pause = Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt);
        if (!isRetryable(error) || performance.now() + pause >= end) throw error;
        await sleep(pause);
      }
    }
  }

  private async runOnce<T>(end: number, work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const queryRunner = this.dataSource.createQueryRunner();
    endTransactionsAt(queryRunner, end);
    try {
      return await queryRunner.manager.transaction(work);
    } finally {
      await queryRunner.release();
    }
  }

  /**
   * Registers a callback that runs only after the manager's transaction has committed. It must neither throw nor reject, and `run` waits for a
   * promise that it returns.
   */
  afterCommit(manager: EntityManager, followUp: FollowUp): void {
    this.followUps.get(manager)?.push(followUp);
  }
}
