import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { type Attempted, type DeliveryResult, isFailureOfTarget } from './delivery';

/** Pause after a failed write, in milliseconds. */
const ERROR_PAUSE_MS = 1000;

/** Where attempts are recorded. */
export interface AttemptStore<Attempt, Delivery> {
  /** Records attempts; returns whether some of the deliveries are due again at once. */
  finish(attempts: readonly Attempt[]): Promise<boolean>;
  /** Releases deliveries that were claimed but not attempted. */
  release(deliveries: readonly Delivery[]): Promise<void>;
}

/** Records the results of a dispatcher's attempts, several in one transaction. */
export class AttemptWriter<Target, Delivery, Result extends DeliveryResult> {
  private readonly logger = new Logger(AttemptWriter.name);
  private finished: Attempted<Target, Delivery, Result>[] = [];
  private beingWritten: Attempted<Target, Delivery, Result>[] = [];
  /** Claimed deliveries to be released without an attempt. */
  private untried: Delivery[] = [];
  private writing?: Promise<void>;
  private listener?: (isMoreDue: boolean) => void;

  /**
   * @param gatherMs how long finished attempts are collected before they are written, in milliseconds. A write to the embedded database
   * completes before the next response is processed: without the pause, each delivery would need its own transaction and flush.
   */
  constructor(
    private readonly store: AttemptStore<Attempted<Target, Delivery, Result>, Delivery>,
    private readonly gatherMs: number,
  ) {}

  /** Sets the listener that is called after each write, with whether the write may have made deliveries due again. */
  onWritten(listener: (isMoreDue: boolean) => void): void {
    this.listener = listener;
  }

  /** Queues an attempt to be recorded shortly after the call. */
  add(attempt: Attempted<Target, Delivery, Result>): void {
    this.finished.push(attempt);
    this.schedule();
  }

  /** Releases deliveries shortly after the call, together with attempts that are recorded then. */
  giveBack(deliveries: readonly Delivery[]): void {
    if (deliveries.length === 0) return;
    this.untried.push(...deliveries);
    this.schedule();
  }

  /** Returns the targets with a failure that has not been written yet. */
  targetsWithUnwrittenFailure(): Target[] {
    return [...this.finished, ...this.beingWritten]
      .filter(({ result }) => isFailureOfTarget(result))
      .map(({ target }) => target);
  }

  /** Waits until everything has been written. */
  async settle(): Promise<void> {
    // What is added during a write is written by the next one.
    while (this.writing) await this.writing;
  }

  /** Starts a write unless one is running. */
  private schedule(): void {
    this.writing ??= this.write().then((isMoreDue) => {
      this.writing = undefined;
      if (this.finished.length > 0 || this.untried.length > 0) this.schedule();
      this.listener?.(isMoreDue);
    });
  }

  /** Writes what is collected, and returns whether deliveries may be due again. Never rejects. */
  private async write(): Promise<boolean> {
    if (this.gatherMs > 0) await sleep(this.gatherMs);
    const batch = this.finished;
    const untried = this.untried;
    this.finished = [];
    this.untried = [];
    this.beingWritten = batch;
    try {
      const hasRestarted = batch.length > 0 && (await this.store.finish(batch));
      await this.store.release(untried);
      return hasRestarted || untried.length > 0 || batch.some(({ result }) => result.error !== '');
    } catch (error) {
      // The leases expire, and the attempts are repeated.
      const counts = `${batch.length} attempts and release ${untried.length} deliveries`;
      this.logger.error({ err: error }, `Could not store ${counts}`);
      await sleep(ERROR_PAUSE_MS);
      return true;
    } finally {
      this.beingWritten = [];
    }
  }
}
