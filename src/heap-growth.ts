import { setFlagsFromString } from 'node:v8';

/** How far the heap may grow between two collections, in percent of what is in use. */
const PERCENT = 50;

/**
 * Makes V8 collect garbage before the heap has grown to several times what is in use, which it does by default on a machine with much
 * memory (`docs/decisions/0075-background-share.md`).
 */
export const limitHeapGrowth = (): void => setFlagsFromString(`--heap-growing-percent=${PERCENT}`);
