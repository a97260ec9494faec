import { type EntityManager } from 'typeorm';
import { loopTurns } from '../../event-loop/loop-turns';
import { affectedRows, inList, isEmbedded, quoted } from './statements';

/**
 * Runs a statement until it has changed all rows. The embedded database computes on the event loop, so each statement there changes at most
 * `size` rows, and other requests are served in between; a server changes them all in one.
 * @param run runs the statement with a condition that ends in this limit, empty on a server, and returns the number of changed rows
 */
export async function changeInSlices(
  manager: EntityManager,
  size: number,
  run: (limit: string) => Promise<number>,
): Promise<void> {
  if (!isEmbedded(manager.dataSource)) {
    await run('');
    return;
  }
  while ((await run(` LIMIT ${size}`)) === size) await loopTurns.nextSlice();
}

/** Removes the rows in which a column has one of these values, on the embedded database in slices. */
export async function removeInSlices(
  manager: EntityManager,
  table: string,
  column: string,
  values: readonly number[],
): Promise<void> {
  if (values.length === 0) return;
  const list = inList(values);
  const condition = `${quoted(column)} ${list.sql}`;
  await changeInSlices(manager, ROWS_AT_ONCE, (limit) => {
    const rows = limit
      ? `rowid IN (SELECT rowid FROM ${quoted(table)} WHERE ${condition}${limit})`
      : condition;
    return affectedRows(manager, `DELETE FROM ${quoted(table)} WHERE ${rows}`, list.parameters);
  });
}

/** Removing as many rows occupies the event loop for a few milliseconds. */
const ROWS_AT_ONCE = 500;
