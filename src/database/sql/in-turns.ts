import { loopTurns } from '../../event-loop/loop-turns';

/** Length of the texts in rows that are handled at once, in UTF-16 code units: parsing them as JSON takes a few milliseconds. */
const MAX_LENGTH_AT_ONCE = 256 * 1024;

/**
 * Does some work for each row: at once, or with a turn of the event loop before each further row if their texts are long
 * (`docs/decisions/0049-one-clock-for-the-event-loop.md#long-texts`).
 * @param key the property that the work reads; only texts take long
 * @returns undefined when the work is done; otherwise a promise that resolves then
 */
export function eachInTurns<Key extends string, Row extends Readonly<Record<Key, unknown>>>(
  rows: readonly Row[],
  key: Key,
  work: (row: Row) => void,
): Promise<void> | undefined {
  let length = 0;
  let index = 0;
  for (const row of rows) {
    const text = row[key];
    if (typeof text === 'string') length += text.length;
    if (length > MAX_LENGTH_AT_ONCE && index > 0) return eachInOwnTurn(rows.slice(index), work);
    work(row);
    index++;
  }
  return undefined;
}

async function eachInOwnTurn<Row>(rows: readonly Row[], work: (row: Row) => void): Promise<void> {
  for (const row of rows) {
    await loopTurns.nextSlice();
    work(row);
  }
}
