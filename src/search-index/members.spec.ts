import fc from 'fast-check';
import {
  addAll,
  addMember,
  decodeMembers,
  encodeMembers,
  intersectWith,
  type Members,
  noMembers,
  positionsOf,
} from './members';

const membersOf = (size: number, places: Iterable<number>): Members => {
  const members = noMembers(size);
  for (const place of places) addMember(members, place);
  return members;
};

const blocks = fc.constantFrom(8, 64, 1024, 8192).chain((size) =>
  fc.record({
    size: fc.constant(size),
    one: fc.uniqueArray(fc.nat(size - 1), { maxLength: 300 }),
    other: fc.uniqueArray(fc.nat(size - 1), { maxLength: 300 }),
  }),
);

const sorted = (places: Iterable<number>): number[] => [...places].sort((one, other) => one - other);

describe('the member set of a block', () => {
  it('keeps the places added, encoded in at most one bit per place and one byte', () => {
    fc.assert(
      fc.property(blocks, ({ size, one }) => {
        const members = membersOf(size, one);
        expect(positionsOf(members)).toEqual(sorted(one));
        const stored = encodeMembers(members);
        expect(stored.length).toBeLessThanOrEqual(size / 8 + 1);
        expect(positionsOf(decodeMembers(stored, size))).toEqual(sorted(one));
      }),
    );
  });

  it('encodes few members in one or two bytes each', () => {
    expect(encodeMembers(membersOf(8192, [0, 1, 8191]))).toHaveLength(1 + 1 + 1 + 2);
  });

  it('forms intersections and unions', () => {
    fc.assert(
      fc.property(blocks, ({ size, one, other }) => {
        const common = membersOf(size, one);
        const expected = sorted(one.filter((place) => other.includes(place)));
        expect(intersectWith(common, membersOf(size, other))).toBe(expected.length > 0);
        expect(positionsOf(common)).toEqual(expected);
        const all = membersOf(size, one);
        expect(addAll(all, membersOf(size, other))).toBe(other.some((place) => !one.includes(place)));
        expect(positionsOf(all)).toEqual(sorted(new Set([...one, ...other])));
      }),
    );
  });
});
