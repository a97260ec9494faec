import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { type ClaimedDelivery, type FinishedAttempt } from './delivery';
import { DeliveryQueue } from './delivery-queue';

/**
 * How long what has ended is gathered before it is written, in milliseconds. A write on the embedded database is over
 * before the next answer is looked at: without the pause each delivery would be a transaction, and a flush, of its own.
 */
const GATHER_MS = 10;
/** Pause after the database has refused, in milliseconds. */
const ERROR_PAUSE_MS = 1000;

/** Writes down together what the dispatcher's attempts have come to meanwhile. */
@Injectable()
export class AttemptWriter {
  private readonly logger = new Logger(AttemptWriter.name);
  private finished: FinishedAttempt[] = [];
  private beingWritten: FinishedAttempt[] = [];
  /** Deliveries that are not tried after all, to be given back. */
  private untried: ClaimedDelivery[] = [];
  private writing?: Promise<void>;
  private listener?: () => void;

  constructor(private readonly queue: DeliveryQueue) {}

  /** Has something done after each write. */
  onWritten(listener: () => void): void {
    this.listener = listener;
  }

  /** Has an attempt written down, in a moment. */
  add(attempt: FinishedAttempt): void {
    this.finished.push(attempt);
    this.schedule();
  }

  /** Has deliveries given back along with the next attempts that are written down. */
  giveBack(deliveries: readonly ClaimedDelivery[]): void {
    this.untried.push(...deliveries);
  }

  /** The webhooks with a failure that the database does not know of yet. */
  endpointsWithUnwrittenFailure(): number[] {
    return [...this.finished, ...this.beingWritten]
      .filter(({ result }) => result.error !== '')
      .map(({ endpoint }) => endpoint.webhookId);
  }

  /** Waits until all is written. */
  async settle(): Promise<void> {
    // What ended during a write is written by one that starts after it.
    while (this.writing) await this.writing;
  }

  /** One write at a time; what ends during it is written by the next. */
  private schedule(): void {
    this.writing ??= this.write().finally(() => {
      this.writing = undefined;
      if (this.finished.length > 0) this.schedule();
      this.listener?.();
    });
  }

  private async write(): Promise<void> {
    await sleep(GATHER_MS);
    const batch = this.finished;
    const untried = this.untried;
    this.finished = [];
    this.untried = [];
    this.beingWritten = batch;
    try {
      await this.queue.finish(batch);
      await this.queue.release(untried);
    } catch (error) {
      // Not written is not lost: the leases run out and the deliveries are made again.
      this.logger.error({ err: error }, `Could not write down ${batch.length} attempts`);
      await sleep(ERROR_PAUSE_MS);
    } finally {
      this.beingWritten = [];
    }
  }
}
