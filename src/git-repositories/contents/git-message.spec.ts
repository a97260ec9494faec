import { withoutLastBreaks } from './git-message';

describe(withoutLastBreaks.name, () => {
  it.each([
    ['', ''],
    ['\n\n', ''],
    ['a', 'a'],
    ['a\n\nb\n\n', 'a\n\nb'],
    ['\na \n', '\na '],
  ])('turns %j into %j', (message, expected) => {
    expect(withoutLastBreaks(message)).toBe(expected);
  });
});
