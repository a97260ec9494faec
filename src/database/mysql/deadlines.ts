/** How late a deadline may be noticed, in milliseconds. */
const TICK_MS = 50;

/** Something that has to be over by a certain time. */
export interface Deadline {
  /** The tick that ends it. */
  readonly at: number;
  readonly expire: () => void;
  /** Its place among the pending ones; -1 once it is over. */
  index: number;
}

/**
 * Watches deadlines with one coarse timer, which runs only while there are any. A timer for each statement, or only a look at the
 * clock, would be felt. So would a `Set`: the tables it leaves behind as it grows and shrinks keep what they held, results of
 * statements included, until the next full garbage collection.
 */
export class Deadlines {
  private readonly pending: Deadline[] = [];
  private ticks = 0;
  private timer?: NodeJS.Timeout;

  /** Has `expire` called once, some time after `ms` milliseconds, unless `end` comes first. */
  begin(ms: number, expire: () => void): Deadline {
    const deadline = { at: this.ticks + ms / TICK_MS + 1, expire, index: this.pending.length };
    this.pending.push(deadline);
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    return deadline;
  }

  /** Whether the deadline was kept. */
  end(deadline: Deadline): boolean {
    const { index } = deadline;
    if (index === -1) return false;
    deadline.index = -1;
    const last = this.pending.pop() as Deadline;
    if (last !== deadline) {
      last.index = index;
      this.pending[index] = last;
    }
    return true;
  }

  private tick(): void {
    this.ticks++;
    for (const deadline of this.pending.filter(({ at }) => at <= this.ticks)) {
      // An earlier one may have ended it.
      if (this.end(deadline)) deadline.expire();
    }
    if (this.pending.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
