/** Time in one turn of the event loop after which further requests wait for the next turn, in milliseconds. */
const TURN_MS = 10;
/** A longer turn is followed by a rest of the same length, in milliseconds. */
const LONG_TURN_MS = 40;
const MAX_REST_MS = 250;
/** How long after the last long work requests still take turns, in milliseconds. */
const WATCH_MS = 5000;

/**
 * Shares the event loop while some requests take long: each turn starts only as many requests as fit into a few milliseconds,
 * alternating between users; sliced work gets one slice per turn; and after a long turn the loop is free for all other work for
 * the same time. Node accepts one connection per turn, so without this a hundred long requests at once would delay every new
 * connection by all of them. While no work takes long, it costs a request nothing.
 */
export class LoopTurns {
  private watch?: NodeJS.Timeout;
  /** Start of the current turn; undefined when no turn is under way. */
  private began?: number;
  private isResting = false;
  /** Waiting requests by user; users are served in map order. */
  private readonly waiting = new Map<number, (() => void)[]>();
  private readonly slices: (() => void)[] = [];

  /** @returns undefined when the request can start at once; otherwise a promise that resolves when it can */
  enter(userId: number): Promise<void> | undefined {
    if (!this.watch) return undefined;
    if (this.began === undefined) {
      this.begin();
      return undefined;
    }
    const mustWait = this.isResting || this.waiting.size > 0 || this.isOver(this.began);
    return mustWait ? new Promise((resolve) => this.queue(userId, resolve)) : undefined;
  }

  /** Resolves when long work may continue for some milliseconds. */
  nextSlice(): Promise<void> {
    this.noteLongWork();
    return new Promise((resolve) => {
      this.slices.push(resolve);
      if (this.began === undefined) this.begin();
    });
  }

  /** Makes requests take turns until no work has taken long for a while. */
  noteLongWork(): void {
    if (this.watch) this.watch.refresh();
    else this.watch = setTimeout(() => (this.watch = undefined), WATCH_MS).unref();
  }

  private begin(): void {
    this.began = performance.now();
    setImmediate(() => this.end(performance.now() - (this.began ?? 0)));
  }

  private end(took: number): void {
    if (took <= LONG_TURN_MS) {
      this.next();
      return;
    }
    this.isResting = true;
    setTimeout(
      () => {
        this.isResting = false;
        this.next();
      },
      Math.min(took, MAX_REST_MS),
    );
  }

  private next(): void {
    if (this.waiting.size === 0 && this.slices.length === 0) {
      this.began = undefined;
      return;
    }
    this.begin();
    this.slices.shift()?.();
    this.afterMicrotasks(() => this.startWaiting());
  }

  /** Starts waiting requests one after the other, for the length of the turn. */
  private startWaiting(): void {
    const [first] = this.waiting;
    if (!first || this.isOver(this.began)) return;
    const [userId, queue] = first;
    const start = queue.shift();
    this.waiting.delete(userId);
    if (queue.length > 0) this.waiting.set(userId, queue);
    start?.();
    this.afterMicrotasks(() => this.startWaiting());
  }

  /** Runs after all synchronous work of the resumed request: ticks are processed when no microtask is left. */
  private afterMicrotasks(then: () => void): void {
    queueMicrotask(() => process.nextTick(then));
  }

  private isOver(began = 0): boolean {
    return performance.now() - began >= TURN_MS;
  }

  private queue(userId: number, start: () => void): void {
    const queue = this.waiting.get(userId);
    if (queue) queue.push(start);
    else this.waiting.set(userId, [start]);
  }
}

/** The only instance: a process has one event loop. */
export const loopTurns = new LoopTurns();
