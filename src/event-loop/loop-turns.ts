/** How long requests may begin in one turn of the event loop before further ones wait for the next, in milliseconds. */
const TURN_MS = 10;
/** A turn that took longer than this is followed by a rest as long as it was, in milliseconds. */
const LONG_TURN_MS = 40;
const MAX_REST_MS = 250;
/** How long after the last long work requests still begin in turn, in milliseconds. */
const WATCH_MS = 5000;

/**
 * Shares the event loop out while some requests take long: in each turn of it only as many requests begin as fit into a few
 * milliseconds, users in turn; work that goes on in slices gets one slice a turn; and after a long turn the loop is left to
 * everything else for as long again. Node accepts one connection a turn, so without this a hundred long requests at once would
 * keep every new connection waiting for all of them. While nothing takes long, it costs a request nothing.
 */
export class LoopTurns {
  private watch?: NodeJS.Timeout;
  /** When the turn began in which requests begin now; undefined while none do. */
  private began?: number;
  private isResting = false;
  /** By user, in the order in which the users come next. */
  private readonly waiting = new Map<number, (() => void)[]>();
  private readonly slices: (() => void)[] = [];

  /** @returns undefined when the request can begin at once; otherwise a promise for when it can */
  enter(userId: number): Promise<void> | undefined {
    if (!this.watch) return undefined;
    if (this.began === undefined) {
      this.begin();
      return undefined;
    }
    const mustWait = this.isResting || this.waiting.size > 0 || this.isOver(this.began);
    return mustWait ? new Promise((resolve) => this.queue(userId, resolve)) : undefined;
  }

  /** Resolves when work that takes long may go on for some milliseconds. */
  nextSlice(): Promise<void> {
    this.noteLongWork();
    return new Promise((resolve) => {
      this.slices.push(resolve);
      if (this.began === undefined) this.begin();
    });
  }

  /** From here on requests begin in turn, until nothing has taken long for a while. */
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

  /** Starts waiting requests one after the other, as long as the turn lasts. */
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

  /** After all that what has just been resumed does at once: ticks come when no microtask is left. */
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
