import fc from 'fast-check';
import { StandardStatus } from './standard-status';
import { displayOrderAt, firstPositionToShift, isAllowedOrder } from './status-order';

const { Open, InProgress, Resolved, Closed } = StandardStatus;

describe(isAllowedOrder.name, () => {
  /** The positions between Open and Closed in any order, with any number of added statuses. */
  const order = fc.nat({ max: 8 }).chain((count) =>
    fc.shuffledSubarray([InProgress, Resolved, ...Array<null>(count).fill(null)], {
      minLength: count + 2,
    }),
  );

  it('allows added statuses anywhere between Open and Closed', () => {
    fc.assert(
      fc.property(order, (between) => {
        const isAllowed = between.indexOf(InProgress) < between.indexOf(Resolved);
        expect(isAllowedOrder([Open, ...between, Closed])).toBe(isAllowed);
      }),
    );
  });

  it('allows no status before Open or after Closed', () => {
    fc.assert(
      fc.property(order, (between) => {
        expect(isAllowedOrder([...between.slice(0, 1), Open, ...between.slice(1), Closed])).toBe(false);
        expect(isAllowedOrder([Open, ...between.slice(1), Closed, ...between.slice(0, 1)])).toBe(false);
      }),
    );
  });
});

describe(firstPositionToShift.name, () => {
  const statuses = fc
    .uniqueArray(fc.nat({ max: 30 }), { minLength: 1, maxLength: 12 })
    .map((places) => places.map((place) => 1000 + place));

  it('frees the place before the last, and keeps the others distinct and in order', () => {
    fc.assert(
      fc.property(statuses, (places) => {
        const closed = Math.max(...places);
        const start = firstPositionToShift(places, closed);
        const moved = places.map((place) => (place >= start && place < closed ? place - 1 : place));
        expect(moved).not.toContain(closed - 1);
        expect(new Set(moved).size).toBe(places.length);
        const byPlace = (list: number[]) => list.map((_, index) => index).sort((a, b) => list[a]! - list[b]!);
        expect(byPlace(moved)).toEqual(byPlace(places));
      }),
    );
  });

  it('moves nothing when the place is free', () => {
    expect(firstPositionToShift([1000, 2000, 3000, 4000], 4000)).toBe(4000);
    expect(firstPositionToShift([1000, 3998, 4000], 4000)).toBe(4000);
  });
});

it('gives the statuses of a new project the places 1000 to 4000', () => {
  expect([0, 1, 2, 3].map(displayOrderAt)).toEqual([1000, 2000, 3000, 4000]);
});
