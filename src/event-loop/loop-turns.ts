/** Captured, so that a test with a fake clock still gets its turns. */
const TIMERS = { setImmediate: globalThis.setImmediate, setTimeout: globalThis.setTimeout };

/** Time in one turn of the event loop after which everything else waits for the next turn, in milliseconds. */
const TURN_MS = 5;
/** A longer turn is followed by a rest of the same length while requests take turns, in milliseconds. */
const LONG_TURN_MS = 40;
const MAX_REST_MS = 250;
/** Time of background work after which everything else goes first, in milliseconds. */
const BACKGROUND_MS = 5;
/** Longest time that counts as background work, in milliseconds; anything beyond it is waiting, for example for a file. */
const MAX_BACKGROUND_MS = 10;
/** How many times as long as background work everything else gets the loop while it needs it. */
const OTHERS_SHARE = 2;
/** A turn that is shorter had hardly anything to do, in milliseconds. */
const IDLE_TURN_MS = 1;
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
  /** Start of the current stretch of background work. */
  private backgroundBegan?: number;
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

  /**
   * The same for work that nobody waits for, such as an import or a backup: while others need the loop, it gets a third of the time
   * (`docs/decisions/0075-background-share.md`).
   */
  pauseInBackground(): Promise<void> | undefined {
    const now = performance.now();
    this.backgroundBegan ??= now;
    const took = now - this.backgroundBegan;
    return took < BACKGROUND_MS ? undefined : this.giveWay(Math.min(took, MAX_BACKGROUND_MS) * OTHERS_SHARE);
  }

  /** Waits until everything else has had some time, in milliseconds, or needs none. */
  private async giveWay(share: number): Promise<void> {
    const turn = (): Promise<void> => new Promise((resolve) => this.timers.setImmediate(resolve));
    // The first turn is the rest of the current one.
    await turn();
    for (let others = 0; others < share;) {
      const began = performance.now();
      await turn();
      const took = performance.now() - began;
      if (took < IDLE_TURN_MS) break;
      others += took;
    }
    await this.pause();
    this.backgroundBegan = undefined;
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
