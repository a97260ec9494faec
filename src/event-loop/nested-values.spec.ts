import { loopTurns } from './loop-turns';
import { changeInside } from './nested-values';

describe('changeInside', () => {
  it('changes the values of lists and objects, and nothing else', async () => {
    const twice = (inner: unknown): unknown => Promise.resolve([inner, inner]);
    expect(await changeInside(['a', { b: 1 }], twice)).toEqual([
      ['a', 'a'],
      [{ b: 1 }, { b: 1 }],
    ]);
    expect(await changeInside({ a: 1, b: null }, (inner, name) => name + String(inner))).toEqual({
      a: 'a1',
      b: 'bnull',
    });
    for (const value of ['a', 1, null, undefined]) expect(await changeInside(value, twice)).toBe(value);
  });

  it('lets other work have its turn after each value', async () => {
    const pause = vi.spyOn(loopTurns, 'pauseInBackground');
    await changeInside([1, 2, 3], (inner) => inner);
    expect(pause).toHaveBeenCalledTimes(3);
  });
});
