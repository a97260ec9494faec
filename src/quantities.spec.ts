import { grouped } from './quantities';

describe(grouped.name, () => {
  it('has a comma between thousands of the whole part', () => {
    for (const number of [0, 7, 999, 1000, 65_535, 1_234_567, -1000, -12.5, 9999.125, 0.1234]) {
      const options = { maximumFractionDigits: 10 };
      expect(grouped(number)).toBe(number.toLocaleString('en', options));
    }
  });
});
