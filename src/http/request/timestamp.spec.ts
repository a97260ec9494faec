import { toTimestamp } from './timestamp';

describe('toTimestamp', () => {
  it.each([
    [0, '1970-01-01T00:00:00Z'],
    [1_700_000_000_999, '2023-11-14T22:13:20Z'],
    [-1, '1969-12-31T23:59:59Z'],
    [-62_167_219_200_000, '0000-01-01T00:00:00Z'],
    [253_402_300_799_999, '9999-12-31T23:59:59Z'],
  ])('formats %d', (milliseconds, text) => {
    expect(toTimestamp(milliseconds)).toBe(text);
  });

  it.each([
    [253_402_300_800_000, '9999-12-31T23:59:59Z'],
    [9e15, '9999-12-31T23:59:59Z'],
    [-9e15, '0000-01-01T00:00:00Z'],
  ])('formats %d, which is out of the range of its form, as the nearest time', (milliseconds, text) => {
    expect(toTimestamp(milliseconds)).toBe(text);
  });
});
