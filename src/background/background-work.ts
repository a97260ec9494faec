import { AsyncResource } from 'node:async_hooks';
import { inBatches } from '../database/in-batches';
import { backgroundRuns } from '../diagnostics/channels';

/**
 * Work that is done in the background: at the start, when asked for, and every now and then, for what a stopped process has
 * left. One run at a time.
 */
export class BackgroundWork {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private isQueued = false;
  private isRunning = false;
  private timer?: NodeJS.Timeout;

  /** Apart from the request that has asked for it: nothing of it belongs to the trace of that. */
  private readonly run = AsyncResource.bind(() => this.runOnce());

  /**
   * @param name for the operator
   * @param work one run; it looks at `isStopping` between its steps
   * @param failed receives what a run rejects with; the next run tries again
   */
  constructor(
    private readonly name: string,
    private readonly work: () => Promise<unknown>,
    private readonly intervalMs: number,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Aborted when the process is about to end. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** The process is about to end. */
  get isStopping(): boolean {
    return this.signal.aborted;
  }

  /** Nothing is running, and nothing has been asked for. */
  get isIdle(): boolean {
    return !this.isQueued && !this.isRunning;
  }

  /** Runs now, and from now on. Does nothing when it has begun. */
  begin(): void {
    if (this.timer || this.isStopping) return;
    this.start();
    this.timer = setInterval(() => this.start(), this.intervalMs);
    this.timer.unref();
  }

  /** Runs after what is running already. */
  start(): void {
    if (this.isQueued) return;
    this.isQueued = true;
    this.running = this.running.then(async () => {
      this.isQueued = false;
      if (!this.isStopping) await this.run();
    });
  }

  /**
   * Repeats a part of the work until nothing is left or the process is about to end, so that removing a million rows is many short
   * transactions.
   * @param part does up to `limit`, and returns how much it has done
   */
  async inBatches(limit: number, part: (limit: number) => Promise<number>): Promise<void> {
    await inBatches(limit, () => (this.isStopping ? Promise.resolve(0) : part(limit)));
  }

  private async runOnce(): Promise<void> {
    const start = performance.now();
    let hasFailed = false;
    this.isRunning = true;
    try {
      await this.work();
    } catch (error) {
      hasFailed = true;
      this.failed(error);
    } finally {
      this.isRunning = false;
    }
    backgroundRuns.publish({ work: this.name, duration: performance.now() - start, hasFailed });
  }

  /** Resolves when nothing is running. */
  whenIdle(): Promise<void> {
    return this.running;
  }

  /** Runs no more, and waits for what is running. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.running;
  }
}
