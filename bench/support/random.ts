/** Pseudorandom numbers, reproducible by seed (mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** Returns a number from 0 up to 1, exclusive. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from `least` to `most`, inclusive. */
  integer(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(items: readonly T[]): T {
    return items[this.integer(0, items.length - 1)] as T;
  }

  /** Returns distinct items of a list. */
  pickSeveral<T>(items: readonly T[], count: number): T[] {
    const start = this.integer(0, items.length - 1);
    return Array.from({ length: count }, (_, offset) => items[(start + offset) % items.length] as T);
  }
}
