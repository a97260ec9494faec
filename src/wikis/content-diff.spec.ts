import { applyPatch } from 'diff';
import fc from 'fast-check';
import { contentDiff } from './content-diff';

describe(contentDiff.name, () => {
  it('tells the lines that have changed, with some around them', () => {
    expect(contentDiff('one\ntwo\nthree\n', 'one\n2\nthree\n')).toBe(
      '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    );
  });

  it.each([
    ['nothing', ''],
    ['a text', 'one\ntwo'],
  ])('is empty for %s that stays', (_what, content) => {
    expect(contentDiff(content, content)).toBe('');
  });

  it('is empty when more has changed than is looked through', () => {
    const lines = (word: string, count: number) =>
      Array.from({ length: count }, (_, number) => `${word} ${number}`).join('\n');
    expect(contentDiff(lines('before', 2000), lines('after', 2000))).toBe('');
    expect(contentDiff(lines('before', 2000), lines('after', 2000).slice(0, 0))).toBe('');
    expect(contentDiff('', lines('after', 500))).toMatch(/^@@ -0,0 \+1,500 @@\n\+after 0\n/);
  });

  it('leads from the one content to the other', () => {
    const content = fc
      .array(fc.constantFrom('a', 'b', '', ' ', '-x', '+x', '@@', '\\', 'größe'))
      .map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(content, content, (before, after) => {
        expect(applyPatch(before, contentDiff(before, after))).toBe(after);
      }),
    );
  });
});
