import { type Environment } from '../config/environment';
import { InvalidRequestError } from '../errors/domain-errors';

/** A client has sent or received a transfer more slowly than `GIT_MIN_RATE`. */
export class TooSlowError extends InvalidRequestError {
  /** What the operator needs to know: the limit, its setting and its value. */
  readonly details: { limit: string; setting: keyof PaceSettings; least: number };

  constructor({ GIT_MIN_RATE, GIT_MIN_RATE_TIME }: PaceSettings) {
    super(
      `The connection is too slow: it has transferred less than ${GIT_MIN_RATE} bytes per second for ${GIT_MIN_RATE_TIME} seconds.`,
    );
    this.details = { limit: 'transfer_rate', setting: 'GIT_MIN_RATE', least: GIT_MIN_RATE };
  }
}

/** The longest time that a timer can wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type PaceSettings = Pick<Environment, 'GIT_MIN_RATE' | 'GIT_MIN_RATE_TIME'>;

/**
 * Requires a minimum rate of the client of a transfer. It counts only the time during which git waits for the client: each byte that it
 * sends, or is offered, gives it some of this time. A client may fall behind by `GIT_MIN_RATE_TIME` seconds, whatever it did before.
 */
export class TransferPace {
  /** The time that the client has left, in milliseconds. */
  private left: number;
  private waits = 0;
  private since = 0;
  private timer?: NodeJS.Timeout;
  private tooSlow?: TooSlowError;
  private readonly listeners = new Set<(error: TooSlowError) => void>();

  constructor(private readonly settings: PaceSettings) {
    this.left = settings.GIT_MIN_RATE_TIME * 1000;
  }

  /** Whether the client has been too slow. */
  get hasFailed(): boolean {
    return this.tooSlow !== undefined;
  }

  /** @throws TooSlowError when the client has been too slow */
  throwIfFailed(): void {
    if (this.tooSlow) throw this.tooSlow;
  }

  /** Sets what to do when the client has been too slow; called at once if it already has. */
  onTooSlow(listener: (error: TooSlowError) => void): void {
    if (this.tooSlow) listener(this.tooSlow);
    else this.listeners.add(listener);
  }

  /** Counts bytes that the client has sent, or that it is about to be offered. */
  count(bytes: number): void {
    const { GIT_MIN_RATE, GIT_MIN_RATE_TIME } = this.settings;
    if (GIT_MIN_RATE === 0) return;
    const isWaiting = this.waits > 0;
    if (isWaiting) this.pause();
    this.left = Math.min(this.left, GIT_MIN_RATE_TIME * 1000) + (bytes / GIT_MIN_RATE) * 1000;
    if (isWaiting) this.resume();
  }

  /** Starts to count time. @returns the function that ends it */
  wait(): () => void {
    if (this.settings.GIT_MIN_RATE === 0 || this.tooSlow) return () => undefined;
    if (this.waits++ === 0) this.resume();
    return () => {
      if (--this.waits === 0) this.pause();
    };
  }

  /** Waits for the client. @throws TooSlowError */
  async during<T>(waiting: Promise<T>): Promise<T> {
    if (this.settings.GIT_MIN_RATE === 0) return waiting;
    const end = this.wait();
    let fail: (error: TooSlowError) => void = () => undefined;
    try {
      return await Promise.race([
        waiting,
        new Promise<never>((_resolve, reject) => {
          fail = reject;
          this.onTooSlow(fail);
        }),
      ]);
    } finally {
      this.listeners.delete(fail);
      end();
    }
  }

  private resume(): void {
    this.since = performance.now();
    this.timer = setTimeout(() => this.fail(), Math.min(Math.max(0, this.left), MAX_TIMER_MS)).unref();
  }

  private pause(): void {
    clearTimeout(this.timer);
    this.left -= performance.now() - this.since;
  }

  private fail(): void {
    this.tooSlow = new TooSlowError(this.settings);
    for (const listener of this.listeners) listener(this.tooSlow);
    this.listeners.clear();
  }
}
