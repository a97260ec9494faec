import { randomUUID } from 'node:crypto';
import { type EntityManager } from 'typeorm';
import { type TransactionsService } from '../database/transactions.service';
import { type SearchIndexRepository } from './data/search-index.repository';
import { type SearchKind } from './search-kind';

const LEASE_MS = 60_000;

/** The run may not go on: another one has taken over, or the process is about to end. */
export class RunEndedError extends Error {}

/**
 * The lease that one run has on writing the index of a kind. Each transaction of the run holds it, so that a run that another one has
 * taken over from writes nothing more, even after that one has ended.
 */
export class IndexLease {
  private readonly builder = randomUUID();

  /** @param isStopping whether the process is about to end */
  constructor(
    private readonly transactions: TransactionsService,
    private readonly rows: SearchIndexRepository,
    private readonly kind: SearchKind,
    private readonly isStopping: () => boolean,
  ) {}

  /** Takes the lease; false while another run has it. */
  take(): Promise<boolean> {
    const now = Date.now();
    return this.transactions.run((manager) =>
      this.rows.takeLease(manager, this.kind, { builder: this.builder, now, until: now + LEASE_MS }),
    );
  }

  /** Keeps others from taking over for a while. @throws RunEndedError when one has done so, or the process is about to end */
  private async hold(manager: EntityManager): Promise<void> {
    if (this.isStopping() || !(await this.move(manager, Date.now() + LEASE_MS))) throw new RunEndedError();
  }

  /** The same in a transaction of its own. */
  async prolong(): Promise<void> {
    await this.write(() => Promise.resolve());
  }

  /** Writes in a transaction that holds the lease. */
  write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transactions.run(async (manager) => {
      await this.hold(manager);
      return work(manager);
    });
  }

  /** Gives the lease back, if nobody has taken over. */
  async release(): Promise<void> {
    await this.transactions.run((manager) => this.move(manager, 0));
  }

  private move(manager: EntityManager, until: number): Promise<boolean> {
    return this.rows.moveLease(manager, this.kind, this.builder, until);
  }
}
