import { ADDRESS_WAITS, NAME_WAITS, waitAfter } from './sign-in-waits';

describe(waitAfter.name, () => {
  it('is zero for the first failures, then a second, and doubles', () => {
    const waits = [1, 4, 5, 6, 7, 8].map((failures) => waitAfter(failures, NAME_WAITS));
    expect(waits).toEqual([0, 0, 1000, 2000, 4000, 8000]);
  });

  it('reaches its maximum, however many failures there are', () => {
    expect(waitAfter(100_000, NAME_WAITS)).toBe(15 * 60_000);
    expect(waitAfter(100_000, ADDRESS_WAITS)).toBe(60 * 60_000);
  });
});
