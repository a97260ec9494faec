import { toDate } from './date';

describe(toDate.name, () => {
  it('shows a date as a time of the wire, and null as it is', () => {
    expect(toDate('2026-01-31')).toBe('2026-01-31T00:00:00Z');
    expect(toDate(null)).toBeNull();
  });
});
