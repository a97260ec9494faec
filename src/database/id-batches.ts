import { loopTurns } from '../event-loop/loop-turns';

/** Rows that are read at once: reading and mapping a thousand takes the event loop a few milliseconds. */
const ROWS_AT_ONCE = 1000;

/**
 * Reads a long list that is ordered by id, with other requests served in between: one statement for most lists.
 * @param read the first `limit` rows after an id
 */
export async function* idBatches<Row extends { id: number }>(
  read: (afterId: number, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row[], void, void> {
  let afterId = 0;
  for (;;) {
    const rows = await read(afterId, ROWS_AT_ONCE);
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    afterId = last.id;
    await loopTurns.nextSlice();
  }
}

/** All rows of a list that comes in batches, mapped batch by batch. */
export async function mapBatches<Row, Item>(
  batches: AsyncIterable<Row[]>,
  toItem: (row: Row) => Item,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const rows of batches) for (const row of rows) items.push(toItem(row));
  return items;
}
