import { AsyncResource } from 'node:async_hooks';
import { inBatches } from '../database/transactions/in-batches';
import { backgroundRuns } from '../diagnostics/channels';

/** Background work: runs at startup, on request, and periodically, to finish what a stopped process has left. Only one run at a time. */
export class BackgroundWork {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private isQueued = false;
  private isRunning = false;
  private timer?: NodeJS.Timeout;

  /** Detached from the request that started it, so that it does not become part of its trace. */
  private readonly run = AsyncResource.bind(() => this.runOnce());

  /**
   * @param name for the operator
   * @param work one run; it checks `isStopping` between its steps
   * @param failed receives the error of a failed run; the next run tries again
   */
  constructor(
    private readonly name: string,
    private readonly work: () => Promise<unknown>,
    private readonly intervalMs: number,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Aborted when the process is shutting down. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  /** True when the process is shutting down. */
  get isStopping(): boolean {
    return this.signal.aborted;
  }

  /** True when no run is active or requested. */
  get isIdle(): boolean {
    return !this.isQueued && !this.isRunning;
  }

  /** Starts the first run and the periodic ones. Does nothing if they have already started. */
  begin(): void {
    if (this.timer || this.isStopping) return;
    this.start();
    this.timer = setInterval(() => this.start(), this.intervalMs);
    this.timer.unref();
  }

  /** Requests a run after the current one. */
  start(): void {
    if (this.isQueued) return;
    this.isQueued = true;
    this.running = this.running.then(async () => {
      this.isQueued = false;
      if (!this.isStopping) await this.run();
    });
  }

  /**
   * Repeats a part of the work until nothing is left or the process is shutting down, so that removing a million rows takes many
   * short transactions.
   * @param part processes up to `limit` items, and returns their number
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

  /** Resolves when no run is active. */
  whenIdle(): Promise<void> {
    return this.running;
  }

  /** Prevents further runs, and waits for the current one. */
  async stop(): Promise<void> {
    this.stopping.abort();
    clearInterval(this.timer);
    await this.running;
  }
}
