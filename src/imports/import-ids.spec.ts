import { SortedIds } from '../archives/number-lists';
import { keepsIds, LARGEST_KEPT_ID } from './import-ids';

const idsOf = (...ids: number[]): SortedIds => {
  const sorted = new SortedIds();
  for (const id of ids) sorted.add(id);
  return sorted;
};

describe('keepsIds', () => {
  it('keeps ids that are larger than the last one of the table', () => {
    expect([keepsIds(idsOf(3, 8), 2), keepsIds(idsOf(3, 8), 3)]).toEqual([true, false]);
  });

  it('keeps none if the last one is too large for the names of files in backups', () => {
    expect(keepsIds(idsOf(3, LARGEST_KEPT_ID), 0)).toBe(true);
    expect(keepsIds(idsOf(3, LARGEST_KEPT_ID + 1), 0)).toBe(false);
  });
});
