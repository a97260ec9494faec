import { outsideCode, withIssueKeys } from './references';

const isIssue = (number: number): boolean => number < 100;

describe(withIssueKeys.name, () => {
  it.each([
    ['See #12.', 'See KEY-12.'],
    ['#1, (#2), [#3](x) and **#4**', 'KEY-1, (KEY-2), [KEY-3](x) and **KEY-4**'],
    ['#100 and #012', '#100 and #012'],
    ['octo/app#12 and app#12', 'octo/app#12 and app#12'],
    [
      'https://example.com/page#12 and https://example.com/#12',
      'https://example.com/page#12 and https://example.com/#12',
    ],
    ['&#12; and #12a', '&#12; and #12a'],
    ['# Heading\n#12', '# Heading\nKEY-12'],
    ['`#1` #2 ``a ` #3`` #4', '`#1` KEY-2 ``a ` #3`` KEY-4'],
    ['`#1 and #2', '`KEY-1 and KEY-2'],
    ['`#1\n#2` #3', '`#1\n#2` KEY-3'],
    ['`#1\n\n#2` #3', '`KEY-1\n\nKEY-2` KEY-3'],
    ['```\n#1\n```\n#2', '```\n#1\n```\nKEY-2'],
    ['~~~~ text\n#1\n~~~\n#2\n~~~~\n#3', '~~~~ text\n#1\n~~~\n#2\n~~~~\nKEY-3'],
    ['- ```\n  #1\n  ```\n- #2', '- ```\n  #1\n  ```\n- KEY-2'],
    ['```\n#1', '```\n#1'],
    ['#1\r\n```\r\n#2\r\n```\r\n#3', 'KEY-1\r\n```\r\n#2\r\n```\r\nKEY-3'],
  ])('converts %j', (text, converted) => {
    expect(withIssueKeys(text, 'KEY', isIssue)).toBe(converted);
  });
});

describe(outsideCode.name, () => {
  it.each([
    ['backticks', (length: number) => '` '.repeat(length)],
    ['runs of backticks that nothing closes', (length: number) => runsOf(length)],
    ['fences', (length: number) => '```\n'.repeat(length)],
    ['marks of quotations', (length: number) => '> '.repeat(length)],
    ['number signs', (length: number) => '#1'.repeat(length)],
  ])(
    'returns a long text of %s as it is, and in no time that grows faster than the text',
    (_case, toText) => {
      const text = toText(300_000);
      const begun = performance.now();
      expect(outsideCode(text, (piece) => piece)).toBe(text);
      expect(withIssueKeys(text, 'KEY', () => false)).toBe(text);
      expect(performance.now() - begun).toBeLessThan(10_000);
    },
  );

  const runsOf = (length: number): string => {
    const runs: string[] = [];
    for (let size = 1, sum = 0; sum < length; sum += size++) runs.push('`'.repeat(size));
    return runs.join(' ');
  };
});
