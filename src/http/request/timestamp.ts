import { EARLIEST_TIME, LATEST_TIME } from '../../time-range';

const MAX_KNOWN = 10_000;
const known = new Map<number, string>();

/**
 * Formats milliseconds since 1970 as `yyyy-MM-ddTHH:mm:ssZ` (`docs/decisions/0001-wire-protocol.md#responses`). Results are cached: a
 * few times recur, above all those of users, and formatting would take a large part of the time of a list. Times before the year 0 and
 * after 9999, as in rows of an archive that an older version has imported, become the nearest that this form has.
 */
export function toTimestamp(milliseconds: number): string {
  const second = Math.floor(Math.min(Math.max(milliseconds, EARLIEST_TIME), LATEST_TIME) / 1000);
  let text = known.get(second);
  if (text === undefined) {
    text = `${new Date(second * 1000).toISOString().slice(0, 19)}Z`;
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(second, text);
  }
  return text;
}
