import { toDate } from './date';

describe(toDate.name, () => {
  it('returns a date as midnight UTC and null unchanged', () => {
    expect(toDate('2026-01-31')).toBe('2026-01-31T00:00:00Z');
    expect(toDate(null)).toBeNull();
  });
});
