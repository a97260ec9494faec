const DAY_MS = 24 * 60 * 60_000;
const PERIOD_DAYS = 30;

/**
 * Returns the number of the period that contains a time, in milliseconds since 1970. A text is stored once in a project and a
 * period. Larger than 0, which stands for the texts of versions without periods.
 */
export const textPeriodAt = (time: number): number => Math.floor(time / (PERIOD_DAYS * DAY_MS));
