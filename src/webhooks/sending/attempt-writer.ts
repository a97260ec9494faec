import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type ClaimedDelivery, type FinishedAttempt } from './delivery';
import { DeliveryQueue } from './delivery-queue';

/**
 * How long finished attempts are collected before they are written, in milliseconds. A write to the embedded database completes
 * before the next response is processed: without the pause, each delivery would need its own transaction and flush.
 */
const GATHER_MS = 10;
/** Pause after a failed write, in milliseconds. */
const ERROR_PAUSE_MS = 1000;

/** Records the results of the dispatcher's attempts, several in one transaction. */
@Injectable()
export class AttemptWriter {
  private readonly logger = new Logger(AttemptWriter.name);
  private finished: FinishedAttempt[] = [];
  private beingWritten: FinishedAttempt[] = [];
  /** Claimed deliveries to be released without an attempt. */
  private untried: ClaimedDelivery[] = [];
  private writing?: Promise<void>;
  private listener?: (isMoreDue: boolean) => void;

  constructor(private readonly queue: DeliveryQueue) {}

  /** Sets the listener that is called after each write, with whether the write may have made deliveries due again. */
  onWritten(listener: (isMoreDue: boolean) => void): void {
    this.listener = listener;
  }

  /** Queues an attempt to be recorded shortly after the call. */
  add(attempt: FinishedAttempt): void {
    this.finished.push(attempt);
    this.schedule();
  }

  /** Releases deliveries, together with the next attempts that are recorded. */
  giveBack(deliveries: readonly ClaimedDelivery[]): void {
    this.untried.push(...deliveries);
  }

  /** Returns the ids of webhooks with a failure that has not been written yet. */
  endpointsWithUnwrittenFailure(): number[] {
    return [...this.finished, ...this.beingWritten]
      .filter(({ result }) => result.error !== '')
      .map(({ endpoint }) => endpoint.webhookId);
  }

  /** Waits until everything has been written. */
  async settle(): Promise<void> {
    // Attempts that end during a write are written by the next one.
    while (this.writing) await this.writing;
  }

  /** Starts a write unless one is running. */
  private schedule(): void {
    this.writing ??= this.write().then((isMoreDue) => {
      this.writing = undefined;
      if (this.finished.length > 0) this.schedule();
      this.listener?.(isMoreDue);
    });
  }

  /** Writes what is collected, and returns whether deliveries may be due again. Never rejects. */
  private async write(): Promise<boolean> {
    await sleep(GATHER_MS);
    const batch = this.finished;
    const untried = this.untried;
    this.finished = [];
    this.untried = [];
    this.beingWritten = batch;
    try {
      const hasRestarted = await this.queue.finish(batch);
      await this.queue.release(untried);
      return hasRestarted || untried.length > 0 || batch.some(({ result }) => result.error !== '');
    } catch (error) {
      // The leases expire, and the attempts are repeated.
      this.logger.error({ err: error }, `Could not store ${batch.length} attempts`);
      await sleep(ERROR_PAUSE_MS);
      return true;
    } finally {
      this.beingWritten = [];
    }
  }
}
