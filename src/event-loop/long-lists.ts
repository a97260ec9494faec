import { loopTurns } from './loop-turns';
import { UserTurns } from './user-turns';

/** Lists that can take 100 MB of memory until they are sent: whatever they list, they are built one after the other. */
export const longLists = new UserTurns({
  name: 'long_lists',
  atOnce: 1,
  waiting: 100,
  waitingOfUser: 10,
  waitMs: 10_000,
});

/**
 * Divides items so that the sizes in a part add up to `most` at the most, unless one item is larger.
 * @param sizeOf is called once for each item, in their order
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
 * Builds a list a part at a time, so that other requests get their turn meanwhile.
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
