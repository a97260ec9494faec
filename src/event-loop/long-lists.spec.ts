import { buildInParts, partsOf } from './long-lists';
import { loopTurns } from './loop-turns';

describe(partsOf.name, () => {
  const divide = (sizes: number[]): number[][] => partsOf(sizes, 10, (size) => size);

  it.each([
    ['nothing', [], []],
    ['what fits', [3, 3, 4], [[3, 3, 4]]],
    ['what does not', [3, 3, 5, 5, 1], [[3, 3], [5, 5], [1]]],
    ['one that is too large alone', [20], [[20]]],
    ['one that is too large among others', [1, 20, 1], [[1], [20], [1]]],
  ])('divides %s', (_what, sizes, parts) => {
    expect(divide(sizes)).toEqual(parts);
  });
});

describe(buildInParts.name, () => {
  const build = (part: number[]): Promise<string[]> => Promise.resolve(part.map(String));

  it('keeps the order, and gives others a turn after each part', async () => {
    const slices = vi.spyOn(loopTurns, 'nextSlice');
    expect(await buildInParts([[1, 2], [3]], build)).toEqual(['1', '2', '3']);
    expect(slices).toHaveBeenCalledTimes(2);
    slices.mockRestore();
  });

  it('ends when the client has gone', async () => {
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
