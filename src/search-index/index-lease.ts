import { randomUUID } from 'node:crypto';
import { type EntityManager } from 'typeorm';
import { type TransactionsService } from '../database/transactions/transactions.service';
import { type SearchIndexRepository } from './data/search-index.repository';
import { type SearchKind } from './search-kind';

const LEASE_MS = 60_000;

/** The run must stop: another one has taken over, or the process is shutting down. */
export class RunEndedError extends Error {}

/**
 * A run's lease on writing the index of a kind. Each transaction of the run extends it, so that a run writes nothing once another one has
 * taken over, even after that one has ended.
 */
export class IndexLease {
  private readonly builder = randomUUID();

  /** @param isStopping whether the process is shutting down */
  constructor(
    private readonly transactions: TransactionsService,
    private readonly rows: SearchIndexRepository,
    private readonly kind: SearchKind,
    private readonly isStopping: () => boolean,
  ) {}

  /** Acquires the lease; returns false while another run holds it. */
  take(): Promise<boolean> {
    const now = Date.now();
    return this.transactions.run((manager) =>
      this.rows.takeLease(manager, this.kind, { builder: this.builder, now, until: now + LEASE_MS }),
    );
  }

  /** Extends the lease. @throws RunEndedError if another run has taken over, or the process is shutting down */
  private async extend(manager: EntityManager): Promise<void> {
    if (this.isStopping() || !(await this.move(manager, Date.now() + LEASE_MS))) throw new RunEndedError();
  }

  /** Extends the lease in a transaction of its own. */
  async prolong(): Promise<void> {
    await this.write(() => Promise.resolve());
  }

  /** Runs `work` in a transaction that holds the lease. */
  write<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.transactions.run(async (manager) => {
      await this.extend(manager);
      return work(manager);
    });
  }

  /** Releases the lease unless another run has taken over. */
  async release(): Promise<void> {
    await this.transactions.run((manager) => this.move(manager, 0));
  }

  private move(manager: EntityManager, until: number): Promise<boolean> {
    return this.rows.moveLease(manager, this.kind, this.builder, until);
  }
}
