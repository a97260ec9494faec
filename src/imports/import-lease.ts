import { type EntityManager } from 'typeorm';
import { type TransactionsService } from '../database/transactions/transactions.service';
import { type ImportPosition, type ImportRunRepository } from './data/import-run.repository';
import { ImportLostError } from './import.error';
import { ImportState } from './import-state';

const LEASE_MS = 60_000;
const HEARTBEAT_MS = 15_000;

/**
 * A worker's lease on an import, with the position of the import. Each batch moves the position in its own transaction, so that neither a worker
 * that has lost the lease nor a repetition writes it again.
 */
export class ImportLease {
  private isLost = false;

  private constructor(
    private readonly transactions: TransactionsService,
    private readonly runs: ImportRunRepository,
    readonly importId: number,
    private readonly token: string,
    private at: ImportPosition,
  ) {}

  /**
   * Takes an import.
   * @param heldBy the token of a worker that is known to be dead
   * @returns undefined while another worker has it, or if it is not running
   */
  static async take(
    transactions: TransactionsService,
    runs: ImportRunRepository,
    importId: number,
    { token, heldBy }: { token: string; heldBy: string | null },
  ): Promise<ImportLease | undefined> {
    const now = Date.now();
    const position = await transactions.run(async (manager) => {
      const isTaken = await runs.take(manager, importId, { token, now, until: now + LEASE_MS, heldBy });
      return isTaken ? runs.find(importId, manager) : undefined;
    });
    return position && new ImportLease(transactions, runs, importId, token, position);
  }

  /** Where the import is. */
  get position(): ImportPosition {
    return { phase: this.at.phase, kind: this.at.kind, done: this.at.done };
  }

  /**
   * Moves the import, and does the work that belongs to it, in one transaction.
   * @throws ImportLostError if another worker has taken over, or the import has been cancelled
   */
  async move(
    to: Partial<ImportPosition>,
    work: (manager: EntityManager) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> {
    this.requireHeld();
    const from = this.position;
    const next = { ...from, ...to };
    await this.transactions.run(async (manager) => {
      const until = Date.now() + LEASE_MS;
      const isMoved = await this.runs.move(manager, this.importId, {
        token: this.token,
        from,
        to: next,
        until,
      });
      if (!isMoved) throw new ImportLostError();
      await work(manager);
    });
    this.at = next;
  }

  /** Does work in a transaction without moving. @throws ImportLostError */
  async write(work: (manager: EntityManager) => Promise<void>): Promise<void> {
    this.requireHeld();
    await this.transactions.run(async (manager) => {
      const isHeld = await this.runs.extend(manager, this.importId, this.token, Date.now() + LEASE_MS);
      if (!isHeld) throw new ImportLostError();
      await work(manager);
    });
  }

  /** Keeps the lease during work without transactions. @returns a function that ends this */
  keepAlive(): () => void {
    const heartbeat = setInterval(() => {
      this.write(() => Promise.resolve()).catch((error: unknown) => {
        // After another failure, the next one may succeed before the lease expires.
        this.isLost ||= error instanceof ImportLostError;
      });
    }, HEARTBEAT_MS);
    heartbeat.unref();
    return () => clearInterval(heartbeat);
  }

  /** @throws ImportLostError if a heartbeat has found that another worker has taken over */
  requireHeld(): void {
    if (this.isLost) throw new ImportLostError();
  }

  /**
   * Stops the import for a reason, or refuses an archive of which nothing has been written.
   * @returns whether it did
   */
  stop(error: string, isRefused: boolean): Promise<boolean> {
    const ended = isRefused
      ? { state: ImportState.Refused, finished: Date.now() }
      : { state: ImportState.Stopped, finished: null };
    return this.transactions.run((manager) =>
      this.runs.stop(manager, this.importId, this.token, { ...ended, error }),
    );
  }

  async release(): Promise<void> {
    await this.transactions.run((manager) => this.runs.release(manager, this.importId, this.token));
  }
}
