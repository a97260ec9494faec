/** Whether this run tries all cases, as `npm run fuzz` does, and not only a part. */
export const isThorough = process.env.THOROUGH_TESTS === 'true';

/** Returns how often a property is tried: all of these times, or a tenth of them. */
export const runs = (thorough: number): number => (isThorough ? thorough : Math.ceil(thorough / 10));

/** The step of a loop over all letters: 1, or a prime, so that letters of every kind are included. */
export const LETTER_STEP = isThorough ? 1 : 31;
