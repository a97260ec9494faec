import { buildInParts, partsOf } from './long-lists';
import { loopTurns } from './loop-turns';

describe(partsOf.name, () => {
  const divide = (sizes: number[]): number[][] => partsOf(sizes, 10, (size) => size);

  it.each([
    ['no parts for an empty list', [], []],
    ['one part for items within the limit', [3, 3, 4], [[3, 3, 4]]],
    ['several parts for items beyond the limit', [3, 3, 5, 5, 1], [[3, 3], [5, 5], [1]]],
    ['one part for a single oversized item', [20], [[20]]],
    ['a part of its own for an oversized item', [1, 20, 1], [[1], [20], [1]]],
  ])('returns %s', (_what, sizes, parts) => {
    expect(divide(sizes)).toEqual(parts);
  });
});

describe(buildInParts.name, () => {
  const build = (part: number[]): Promise<string[]> => Promise.resolve(part.map(String));

  it('keeps the order and yields to the event loop after each part', async () => {
    const slices = vi.spyOn(loopTurns, 'nextSlice');
    expect(await buildInParts([[1, 2], [3]], build)).toEqual(['1', '2', '3']);
    expect(slices).toHaveBeenCalledTimes(2);
    slices.mockRestore();
  });

  it('stops when the client has disconnected', async () => {
    const gone = new AbortController();
    const parts: number[][] = [];
    const work = buildInParts(
      [[1], [2]],
      (part) => {
        parts.push(part);
        gone.abort(new Error('gone'));
        return build(part);
      },
      gone.signal,
    );
    await expect(work).rejects.toThrow('gone');
    expect(parts).toEqual([[1]]);
  });
});
