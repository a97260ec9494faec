/** Whether this run tries all cases, as `npm run fuzz` does, and not only a part. */
export const isThorough = process.env.THOROUGH_TESTS === 'true';

/** The number of runs that together try all cases. */
const PARTS = 3;
/** Which of them this run is (`TEST_PART`): 0, 1, 2, or all of them in one. */
const part = process.env.TEST_PART ?? '0';

/** Whether this run does everything as often as its proof needs, as `.ci/full` does. */
export const isWhole = isThorough || part === 'all';

/** Returns whether this run tries the case with this number: every third, or all. */
export const isTried = (index: number): boolean =>
  isThorough || part === 'all' || index % PARTS === Number(part);

/** Returns how often a property is tried: all of these times, or a tenth of them. */
export const runs = (thorough: number): number => (isThorough ? thorough : Math.ceil(thorough / 10));

/** The step of a loop over all letters: 1, or a prime, so that letters of every kind are included. */
export const LETTER_STEP = isThorough ? 1 : 31;
