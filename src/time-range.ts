/** The milliseconds before and after 1970 that a `Date` can have. */
export const MAX_DATE_MS = 8.64e15;

/** The first and the last millisecond of the years 0 to 9999, which `yyyy-MM-ddTHH:mm:ssZ` can express. */
export const EARLIEST_TIME = -62_167_219_200_000;
export const LATEST_TIME = 253_402_300_799_999;
