/** Number of lines and tokens read before yielding: a hundred of the longest take a few milliseconds. */
const STEPS_AT_ONCE = 100;

/** Counts the steps of a conversion, wherever in the text they are, so that it yields after as many small lines as cells and marks. */
export class Pace {
  private steps = 0;

  /** Counts a step, and returns whether to yield before it. */
  isDue(): boolean {
    return ++this.steps % STEPS_AT_ONCE === 0;
  }
}
