/** How long the requests that begin in one turn of the event loop may take before further ones wait for the next, in milliseconds. */
const TURN_MS = 10;
/** A turn that took longer than this is followed by a rest as long as it was, in milliseconds. */
const LONG_TURN_MS = 40;
const MAX_REST_MS = 250;

/**
 * Shares the event loop out: requests that take long begin one a turn, users in turn, and after a long one the loop is left to
 * everything else for as long again. Node accepts one connection a turn, so without this a hundred long requests at once would keep
 * every new connection waiting for all of them.
 */
export class LoopTurns {
  /** When the turn began in which requests begin now; undefined while none do. */
  private began?: number;
  private isResting = false;
  /** By user, in the order in which the users come next. */
  private readonly waiting = new Map<number, (() => void)[]>();

  /** @returns undefined when the request can begin at once; otherwise a promise for when it can */
  enter(userId: number): Promise<void> | undefined {
    if (this.began === undefined) {
      this.begin();
      return undefined;
    }
    const isFull = this.isResting || this.waiting.size > 0 || performance.now() - this.began >= TURN_MS;
    return isFull ? new Promise((resolve) => this.queue(userId, resolve)) : undefined;
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
    const [first] = this.waiting;
    if (!first) {
      this.began = undefined;
      return;
    }
    const [userId, queue] = first;
    const start = queue.shift();
    this.waiting.delete(userId);
    if (queue.length > 0) this.waiting.set(userId, queue);
    this.begin();
    start?.();
  }

  private queue(userId: number, start: () => void): void {
    const queue = this.waiting.get(userId);
    if (queue) queue.push(start);
    else this.waiting.set(userId, [start]);
  }
}
