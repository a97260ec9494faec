import { setImmediate as nextTurn } from 'node:timers/promises';

/** Ends the turn of the event loop that began with the real clock, then lets the clock go on by this much at each look, in milliseconds. */
export async function slowDown(ms: number): Promise<void> {
  await nextTurn();
  await nextTurn();
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => (now += ms));
}

/** Counts the turns of the event loop. */
export class TurnCounter {
  count = 0;
  private next = setImmediate(() => this.add());

  stop(): void {
    clearImmediate(this.next);
  }

  private add(): void {
    this.count++;
    this.next = setImmediate(() => this.add());
  }
}

/** Returns the number of turns of the event loop that some work takes. */
export async function turnsOf(work: () => Promise<unknown>): Promise<number> {
  const turns = new TurnCounter();
  try {
    await work();
  } finally {
    turns.stop();
  }
  return turns.count;
}
