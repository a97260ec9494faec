/**
 * Repeats work until it finds nothing more to do, so that removing a million rows is many short transactions.
 * @param work does up to `limit` and tells how many it has done
 */
export async function inBatches(limit: number, work: (limit: number) => Promise<number>): Promise<void> {
  while ((await work(limit)) >= limit);
}
