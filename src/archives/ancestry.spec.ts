import fc from 'fast-check';
import { Ancestry } from './ancestry';
import { SortedIds } from './number-lists';

/** @param links the ids of records in ascending order, with those of their parents */
function ancestryOf(links: readonly (readonly [id: number, parentId: number])[]): Ancestry {
  const ancestry = new Ancestry();
  for (const [id, parentId] of links) ancestry.add(id, parentId);
  return ancestry;
}

describe(Ancestry.name, () => {
  it.each<[string, [number, number][]]>([
    ['no record below another', []],
    [
      'parents before and after their children',
      [
        [2, 5],
        [3, 2],
        [5, 1],
        [9, 3],
      ],
    ],
    ['a parent that is missing', [[2, 7]]],
  ])('finds no circle in %s', async (_case, links) => {
    expect(await ancestryOf(links).findCircle()).toBeUndefined();
  });

  it('finds a record below itself', async () => {
    expect(await ancestryOf([[4, 4]]).findCircle()).toBe(4);
  });

  it('finds a record of a circle that others lead to', async () => {
    const links: [number, number][] = [
      [1, 3],
      [3, 5],
      [5, 6],
      [6, 3],
    ];
    expect([3, 5, 6]).toContain(await ancestryOf(links).findCircle());
  });

  it('finds the first record whose parent is not among the records of its kind', async () => {
    const ids = new SortedIds();
    for (const id of [2, 3, 5, 8, 9]) ids.add(id);
    const whole: [number, number][] = [
      [3, 8],
      [5, 5],
      [8, 2],
    ];
    expect(await ancestryOf(whole).findOrphan(ids)).toBeUndefined();
    expect(await ancestryOf([...whole, [9, 7]]).findOrphan(ids)).toEqual({ id: 9, parentId: 7 });
    expect(await ancestryOf([[3, 4], ...whole.slice(1), [9, 7]]).findOrphan(ids)).toEqual({
      id: 3,
      parentId: 4,
    });
  });

  it('finds a circle exactly where a walk of as many steps as there are records does not end', async () => {
    const parents = fc.array(fc.option(fc.nat({ max: 11 }), { freq: 3 }), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(parents, async (parentOf) => {
        const links = parentOf.flatMap((parent, id): [number, number][] =>
          parent === null ? [] : [[id, parent]],
        );
        const isEndless = (id: number): boolean => {
          let at: number | null | undefined = id;
          for (let step = 0; step <= parentOf.length; step++) at = at == null ? at : parentOf[at];
          return at != null;
        };
        const circle = await ancestryOf(links).findCircle();
        expect(circle !== undefined).toBe(parentOf.some((_parent, id) => isEndless(id)));
      }),
    );
  });
});
