import { hasFewValues } from './json-values';

/**
 * The longest record as a line, in bytes: texts of the service are far shorter (`record-limits.spec.ts`), and sources shorten theirs. It takes less
 * than 50 ms of the event loop to check, to map or to insert.
 */
export const MAX_RECORD_BYTES = 6 * 1024 * 1024;
/** The most values of a record, for the same reason. */
const MAX_RECORD_VALUES = 50_000;

/**
 * The longest entry that describes others, in bytes: it is parsed and checked at once, too. Only its lists make it long: of
 * projects, or of what has no content.
 */
export const MAX_DESCRIPTION_BYTES = 1024 * 1024;
/** The most values of such an entry. */
const MAX_DESCRIPTION_VALUES = 100_000;

/** Whether an entry that describes others can be parsed and checked at once. */
export const isShortDescription = (json: string): boolean =>
  isNoLongerThan(json, MAX_DESCRIPTION_BYTES) && hasFewValues(json, MAX_DESCRIPTION_VALUES);

/** Whether the line of a record has few enough values to be parsed and mapped at once. */
export const hasFewRecordValues = (line: string): boolean => hasFewValues(line, MAX_RECORD_VALUES);

/** Whether a record can be in an archive. @param line without its end */
export const isArchivable = (line: string): boolean =>
  isNoLongerThan(line, MAX_RECORD_BYTES) && hasFewRecordValues(line);

/** Returns as much of the beginning of a text as has at most `max` bytes as JSON. */
export function beginningOf(text: string, max: number): string {
  let beginning = text;
  for (;;) {
    // No character takes more bytes than an escaped one.
    if (beginning.length * 6 + 2 <= max) return beginning;
    const bytes = Buffer.byteLength(JSON.stringify(beginning));
    if (bytes <= max) return beginning;
    beginning = beginning.slice(0, Math.floor((beginning.length * max) / bytes));
    // Not half of a character.
    if (!beginning.isWellFormed()) beginning = beginning.slice(0, -1);
  }
}

/** A UTF-16 unit has at most three bytes. */
const isNoLongerThan = (line: string, bytes: number): boolean =>
  line.length * 3 <= bytes || Buffer.byteLength(line) <= bytes;
