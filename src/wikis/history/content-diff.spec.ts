import { applyPatch } from 'diff';
import fc from 'fast-check';
import { loopTurns } from '../../event-loop/loop-turns';
import { contentDiff } from './content-diff';

describe(contentDiff.name, () => {
  it('returns the changed lines with some around them', async () => {
    expect(await contentDiff('one\ntwo\nthree\n', 'one\n2\nthree\n')).toBe(
      '@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    );
  });

  it.each([
    ['empty content', ''],
    ['unchanged content', 'one\ntwo'],
  ])('returns an empty diff for %s', async (_what, content) => {
    expect(await contentDiff(content, content)).toBe('');
  });

  const numbered = (word: string, count: number): string[] =>
    Array.from({ length: count }, (_, number) => `${word} ${number}`);
  const textOf = (lines: string[]): string => lines.map((line) => `${line}\n`).join('');
  const signed = (sign: string, lines: string[]): string => textOf(lines.map((line) => sign + line));

  it('replaces all lines when more have changed than the limit', async () => {
    const [before, after] = [numbered('before', 151), numbered('after', 150)];
    const same = ['same', 'as', 'ever'];
    expect(await contentDiff(textOf([...same, ...before]), textOf([...same, ...after]))).toBe(
      `@@ -1,154 +1,153 @@\n${signed('-', same)}${signed('-', before)}${signed('+', same)}${signed('+', after)}`,
    );
    expect(await contentDiff(textOf([...same, ...before.slice(1)]), textOf([...same, ...after]))).toBe(
      `@@ -1,153 +1,153 @@\n${signed(' ', same)}${signed('-', before.slice(1))}${signed('+', after)}`,
    );
  });

  it('replaces all lines when a content has more lines than the limit', async () => {
    const lines = Array<string>(20_000).fill('');
    const [most, more] = [textOf(lines), textOf([...lines, ''])];
    expect(await contentDiff(more, `${more}x`)).toBe(
      `@@ -1,20001 +1,20002 @@\n${signed('-', [...lines, ''])}${signed('+', [...lines, '', 'x'])}\\ No newline at end of file\n`,
    );
    expect(await contentDiff(most, `${most.slice(1)}x`)).toMatch(/^@@ -19996,5 \+19996,5 @@\n/);
  });

  it('replaces all lines of the contents that are slowest to compare', async () => {
    const longest = (seed: number): string => {
      const [lines] = fc.sample(
        fc.array(fc.constantFrom('a', 'b'), { minLength: 50_000, maxLength: 50_000 }),
        {
          seed,
          numRuns: 1,
        },
      ) as [string[]];
      return textOf(lines);
    };
    const pairs = [
      [longest(1), longest(2)],
      ['aaaa\nbbbb\n'.repeat(10_000), 'aaaa\nbbbb\nbbbb\n'.repeat(6666)],
    ] as const;
    for (const [before, after] of pairs) {
      const diff = await contentDiff(before, after);
      expect(diff).toMatch(/^@@ -1,\d+ \+1,\d+ @@\n/);
      expect(diff.match(/^@@/gm)).toHaveLength(1);
      expect(applyPatch(before, diff) === after).toBe(true);
    }
  });

  it.each([
    ['ends without a line feed', 'x'],
    ['has carriage returns', '\r\n\r'],
    ['ends with a line feed', '\n'],
    ['is empty', undefined],
  ])('returns an applicable patch when completely new content %s', async (_what, end) => {
    const after = end === undefined ? '' : numbered('after', 500).join('\n') + end;
    const before = numbered('before', 500).join('\n');
    for (const [one, other] of [
      [before, after],
      [after, before],
    ] as const) {
      expect(applyPatch(one, await contentDiff(one, other), { autoConvertLineEndings: false })).toBe(other);
    }
    expect(await contentDiff('', textOf(numbered('after', 500)))).toMatch(/^@@ -0,0 \+1,500 @@\n\+after 0\n/);
  });

  it('lets other work have its turn in the middle of long contents', async () => {
    const pause = vi.spyOn(loopTurns, 'pause');
    await contentDiff('a\n'.repeat(500_000), 'a');
    expect(pause.mock.calls.length).toBeGreaterThan(20);
  });

  it('returns a patch from the old content to the new one', async () => {
    const content = fc
      .array(fc.constantFrom('a', 'b', '', ' ', '-x', '+x', '@@', '\\', 'größe'))
      .map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(content, content, async (before, after) => {
        expect(applyPatch(before, await contentDiff(before, after))).toBe(after);
      }),
    );
  });
});
