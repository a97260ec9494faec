import { validIds } from './valid-ids';

describe(validIds.name, () => {
  const ids = Array.from({ length: 21 }, (_, index) => index + 1);

  it('lists up to 20 ids', () => {
    expect(validIds([10, 9])).toBe(' Valid ids: 9, 10.');
    expect(validIds(ids.slice(1))).toBe(` Valid ids: ${ids.slice(1).join(', ')}.`);
  });

  it('says that there is none', () => {
    expect(validIds([])).toBe(' There are no valid ids.');
  });

  it('returns an empty string for more than 20 ids', () => {
    expect(validIds(ids)).toBe('');
  });
});
