/** Captured, so that a test with a fake clock still gets its turns. */
const TIMERS = { setImmediate: globalThis.setImmediate, setTimeout: globalThis.setTimeout };

/** Time in one turn of the event loop after which everything else waits for the next turn, in milliseconds. */
const TURN_MS = 10;
/** A longer turn is followed by a rest of the same length while requests take turns, in milliseconds. */
const LONG_TURN_MS = 40;
const MAX_REST_MS = 250;
/** How long after the last long work requests still take turns, in milliseconds. */
const WATCH_MS = 5000;

/**
 * Shares the event loop between requests and all other work (`docs/decisions/0049-one-clock-for-the-event-loop.md`). The clock of a turn
 * starts with its first use. Once the turn has lasted some milliseconds, all further work waits for a later turn, in order: statements
 * of the embedded database (`pause`), long work (`nextSlice`), and while long work is in progress also new requests (`enter`),
 * alternating between users. After a long turn, the loop is free for everything else for the same time: Node accepts one connection per
 * turn, so a hundred long requests at once would otherwise delay every new connection by all of them.
 */
export class LoopTurns {
  private watch?: NodeJS.Timeout;
  /** Start of the current turn; undefined between turns. */
  private began?: number;
  private isResting = false;
  /** Whether this turn starts waiting requests before waiting work; alternates, so that neither waits for all of the other. */
  private areRequestsFirst = false;
  /** Waiting requests by user; users are served in map order. */
  private readonly requests = new Map<number, (() => void)[]>();
  private readonly work: (() => void)[] = [];
  /** Work that holds what other work waits for, such as a transaction on the only writer; goes first in a turn. */
  private readonly holders: (() => void)[] = [];

  constructor(private readonly timers: Pick<typeof globalThis, 'setImmediate' | 'setTimeout'> = TIMERS) {}

  /** @returns undefined when the request can start at once; otherwise a promise that resolves when it can */
  enter(userId: number): Promise<void> | undefined {
    if (!this.watch) return undefined;
    if (!this.isOver() && this.requests.size === 0) return undefined;
    return new Promise((resolve) => this.queue(userId, resolve));
  }

  /** Whether this turn has used its time, so that work should wait for another. */
  isOver(): boolean {
    if (this.began === undefined) this.begin();
    return this.isResting || performance.now() - (this.began as number) >= TURN_MS;
  }

  /**
   * @param isHolder whether the work holds what other work waits for, and therefore goes first
   * @returns undefined when the next step of some work can start at once; otherwise a promise that resolves when it can
   */
  pause(isHolder = false): Promise<void> | undefined {
    if (!this.isOver()) return undefined;
    return new Promise((resolve) => (isHolder ? this.holders : this.work).push(resolve));
  }

  /** The same for work that takes long, during which requests take turns. */
  async nextSlice(): Promise<void> {
    this.noteLongWork();
    await this.pause();
  }

  /** Makes requests take turns until no work has taken long for a while. */
  noteLongWork(): void {
    if (this.watch) this.watch.refresh();
    else this.watch = this.timers.setTimeout(() => (this.watch = undefined), WATCH_MS).unref();
  }

  private begin(): void {
    const began = performance.now();
    this.began = began;
    this.timers.setImmediate(() => this.end(performance.now() - began));
  }

  private end(took: number): void {
    if (!this.watch || took <= LONG_TURN_MS) {
      this.next();
      return;
    }
    this.isResting = true;
    this.timers.setTimeout(
      () => {
        this.isResting = false;
        this.next();
      },
      Math.min(took, MAX_REST_MS),
    );
  }

  private next(): void {
    this.began = undefined;
    if (this.requests.size === 0 && this.work.length === 0 && this.holders.length === 0) return;
    this.begin();
    this.areRequestsFirst = !this.areRequestsFirst;
    const startHolder = this.holders.shift();
    if (!startHolder) {
      this.startWaiting();
      return;
    }
    startHolder();
    // One of the others starts even if the holder has used the turn, so that long transactions do not block them.
    this.afterMicrotasks(() => this.startWaiting());
  }

  /** Starts what waits, one after the other, for the length of the turn. */
  private startWaiting(): void {
    const start = this.areRequestsFirst
      ? (this.takeRequest() ?? this.work.shift())
      : (this.work.shift() ?? this.takeRequest());
    if (!start) return;
    start();
    this.afterMicrotasks(() => {
      if (!this.isOver()) this.startWaiting();
    });
  }

  /** Takes the next request of the user whose turn it is. */
  private takeRequest(): (() => void) | undefined {
    const [first] = this.requests;
    if (!first) return undefined;
    const [userId, queue] = first;
    const start = queue.shift();
    this.requests.delete(userId);
    if (queue.length > 0) this.requests.set(userId, queue);
    return start;
  }

  /** Runs after all synchronous work of the resumed callers: ticks are processed when no microtask is left. */
  private afterMicrotasks(then: () => void): void {
    queueMicrotask(() => process.nextTick(then));
  }

  private queue(userId: number, start: () => void): void {
    const queue = this.requests.get(userId);
    if (queue) queue.push(start);
    else this.requests.set(userId, [start]);
  }
}

/** The only instance: a process has one event loop. */
export const loopTurns = new LoopTurns();
