import { loopTurns } from '../../event-loop/loop-turns';

/** Maximum number of rows per batch: reading and mapping a thousand occupies the event loop for a few milliseconds. */
const ROWS_AT_ONCE = 1000;

/**
 * Reads a list ordered by id in batches, so that other requests are served in between. Most lists take one statement.
 * @param read returns the first `limit` rows after an id
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

/** Returns all rows of a batched list, mapped batch by batch. */
export async function mapBatches<Row, Item>(
  batches: AsyncIterable<Row[]>,
  toItem: (row: Row) => Item,
): Promise<Item[]> {
  const items: Item[] = [];
  for await (const rows of batches) for (const row of rows) items.push(toItem(row));
  return items;
}
