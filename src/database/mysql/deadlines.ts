/** How late a deadline may be noticed, in milliseconds. */
const TICK_MS = 50;

/** Something that has to be over by a certain time. */
export interface Deadline {
  /** The tick that ends it. */
  readonly at: number;
  readonly expire: () => void;
}

/**
 * Watches deadlines with one coarse timer, which runs only while there are any. A timer for each statement, or only a look at the
 * clock, would be felt.
 */
export class Deadlines {
  private readonly pending = new Set<Deadline>();
  private ticks = 0;
  private timer?: NodeJS.Timeout;

  /** Has `expire` called once, some time after `ms` milliseconds, unless `end` comes first. */
  begin(ms: number, expire: () => void): Deadline {
    const deadline = { at: this.ticks + ms / TICK_MS + 1, expire };
    this.pending.add(deadline);
    this.timer ??= setInterval(() => this.tick(), TICK_MS).unref();
    return deadline;
  }

  /** Whether the deadline was kept. */
  end(deadline: Deadline): boolean {
    return this.pending.delete(deadline);
  }

  private tick(): void {
    this.ticks++;
    for (const deadline of this.pending) {
      if (deadline.at > this.ticks) continue;
      this.pending.delete(deadline);
      deadline.expire();
    }
    if (this.pending.size > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  }
}
