import fc from 'fast-check';
import { idBatches, mapBatches } from './id-batches';
import { slowDown, turnsOf } from '../../../test/support/slow-turns';

describe(idBatches.name, () => {
  const reader = (ids: readonly number[]) =>
    vi.fn((afterId: number, limit: number) =>
      Promise.resolve(
        ids
          .filter((id) => id > afterId)
          .slice(0, limit)
          .map((id) => ({ id })),
      ),
    );

  it('reads each row once, in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3500 }),
        fc.integer({ min: 1, max: 5 }),
        async (count, step) => {
          const ids = Array.from({ length: count }, (_, index) => (index + 1) * step);
          expect(await mapBatches(idBatches(reader(ids)), ({ id }) => id)).toEqual(ids);
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each([
    [0, 1],
    [999, 1],
    [1000, 2],
    [2500, 3],
  ])('reads %d rows in %d statements', async (count, statements) => {
    const read = reader(Array.from({ length: count }, (_, index) => index + 1));
    await mapBatches(idBatches(read), (row) => row);
    expect(read).toHaveBeenCalledTimes(statements);
  });

  it('yields to the event loop between slow batches', async () => {
    await slowDown(10);
    const read = reader(Array.from({ length: 5000 }, (_, index) => index + 1));
    const turns = await turnsOf(() => mapBatches(idBatches(read), (row) => row));
    vi.restoreAllMocks();
    expect(turns).toBeGreaterThanOrEqual(4);
  });
});
