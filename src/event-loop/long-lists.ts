import { loopTurns } from './loop-turns';
import { UserTurns } from './user-turns';

/** Lists that can take 100 MB of memory until they are sent: only one is built at a time, whatever it contains. */
export const longLists = new UserTurns({
  name: 'long_lists',
  atOnce: 1,
  waiting: 100,
  waitingOfUser: 10,
  waitMs: 10_000,
});

/**
 * Divides items into parts whose total size is at most `most`, unless one item is larger.
 * @param sizeOf called once for each item, in order
 */
export function partsOf<Item>(
  items: readonly Item[],
  most: number,
  sizeOf: (item: Item) => number,
): Item[][] {
  const parts: Item[][] = [];
  let total = Infinity;
  for (const item of items) {
    const size = sizeOf(item);
    total += size;
    if (total > most) {
      parts.push([]);
      total = size;
    }
    parts.at(-1)?.push(item);
  }
  return parts;
}

/**
 * Builds a list in parts, so that other requests get their turn in between.
 * @throws the signal's reason when the client has gone
 */
export async function buildInParts<Item, Built>(
  parts: readonly Item[][],
  build: (part: Item[]) => Promise<Built[]>,
  signal?: AbortSignal,
): Promise<Built[]> {
  const built: Built[] = [];
  for (const part of parts) {
    signal?.throwIfAborted();
    for (const one of await build(part)) built.push(one);
    await loopTurns.nextSlice();
  }
  return built;
}
