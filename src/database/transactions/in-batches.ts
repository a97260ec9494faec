/**
 * Repeats work until nothing is left to do, so that deleting a million rows takes many short transactions.
 * @param work processes up to `limit` items and returns their number
 */
export async function inBatches(limit: number, work: (limit: number) => Promise<number>): Promise<void> {
  while ((await work(limit)) >= limit);
}
