/** Whether this run tries all that there is, as `npm run fuzz` does, where others try a part. */
export const isThorough = process.env.THOROUGH_TESTS === 'true';

/** How often a property is tried: all of these times, or a tenth of them. */
export const runs = (thorough: number): number => (isThorough ? thorough : Math.ceil(thorough / 10));

/** The step of a loop over all letters: 1, or a prime, so that it meets letters of every kind. */
export const LETTER_STEP = isThorough ? 1 : 31;
