import { AsyncResource } from 'node:async_hooks';
import { backgroundRuns } from '../diagnostics/channels';

/**
 * Work that is done in the background: at the start, when asked for, and every now and then, for what a stopped process has
 * left. One run at a time.
 */
export class BackgroundWork {
  private running: Promise<void> = Promise.resolve();
  private isQueued = false;
  private stopping = false;
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
    private readonly work: () => Promise<void>,
    private readonly intervalMs: number,
    private readonly failed: (error: unknown) => void,
  ) {}

  /** The process is about to end. */
  get isStopping(): boolean {
    return this.stopping;
  }

  /** Runs now, and from now on. */
  begin(): void {
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
      if (!this.stopping) await this.run();
    });
  }

  private async runOnce(): Promise<void> {
    const start = performance.now();
    let hasFailed = false;
    try {
      await this.work();
    } catch (error) {
      hasFailed = true;
      this.failed(error);
    }
    backgroundRuns.publish({ work: this.name, duration: performance.now() - start, hasFailed });
  }

  /** Resolves when nothing is running. */
  whenIdle(): Promise<void> {
    return this.running;
  }

  /** Runs no more, and waits for what is running. */
  async stop(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.running;
  }
}
