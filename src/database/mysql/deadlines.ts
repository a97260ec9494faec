/** Maximum delay before an expired deadline is noticed, in milliseconds. */
const TICK_MS = 50;

/** Time limit of an operation. */
export interface Deadline {
  /** Tick at which it expires. */
  readonly at: number;
  readonly expire: () => void;
  /** Index among the pending deadlines; -1 once it has ended. */
  index: number;
}

/**
 * Watches deadlines with one coarse timer, which runs only while any are pending. A timer per statement, or even reading the clock, has a
 * noticeable cost. So does a `Set`: the tables that it discards as it grows and shrinks retain their contents, including results of
 * statements, until the next full garbage collection.
 */
export class Deadlines {
  private readonly pending: Deadline[] = [];
  private ticks = 0;
  private timer?: NodeJS.Timeout;

  /** Calls `expire` once, shortly after `ms` milliseconds, unless `end` is called first. */
  begin(ms: number, expire: () => void): Deadline {
    const deadline = { at: this.ticks + ms / TICK_MS + 1, expire, index: this.pending.length };
    this.pending.push(deadline);
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    return deadline;
  }

  /** Ends a deadline. @returns whether it was met */
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
      // An earlier callback may have ended it.
      if (this.end(deadline)) deadline.expire();
    }
    if (this.pending.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
