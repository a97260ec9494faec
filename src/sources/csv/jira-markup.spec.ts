import fc from 'fast-check';
import { runs } from '../../../test/support/thoroughness';
import { toMarkdown } from './jira-markup';

const PIECES = [
  ...[
    '{code}',
    '{code:java|title=X}',
    '{noformat}',
    '{quote}',
    '{color:red}',
    '{{',
    '}}',
    '[',
    '|',
    ']',
    'http://a',
  ],
  ...[
    '*',
    '-',
    '+',
    '_',
    'h1. ',
    'bq. ',
    '||',
    '!',
    '.png',
    '`',
    '```',
    '~',
    '<b>',
    '# ',
    '* ',
    '\n',
    ' ',
    'a',
    'é😀',
  ],
];

describe(toMarkdown.name, () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['h2. Title *x*', '## Title **x**'],
    ['*bold*, _italic_ and -gone-', '**bold**, _italic_ and ~~gone~~'],
    ['2*3*4 a-b-c', '2*3*4 a-b-c'],
    ['+new+ {{x*y*}}', 'new `x*y*`'],
    [
      '[docs|https://example.com/a_b] [https://example.com]',
      '[docs](<https://example.com/a_b>) <https://example.com>',
    ],
    ['[a|https://example.com|smart-link]', '[a](<https://example.com>)'],
    ['[x|javascript:alert(1)]', '[x|javascript:alert(1)]'],
    ['[~anna] [~accountid:5570:ab-c]', '@anna @5570:ab-c'],
    ['!shot.png|width=5,alt="shot.png"! Wow! Great!', '`shot.png` Wow! Great!'],
    ['{color:#ff0000}red{color}', 'red'],
    ['<script>a</script> 1 < 2', '\\<script>a\\</script> 1 < 2'],
    ['* a\n** b\n*# c\n# d\n- e', '- a\n  - b\n  1. c\n1. d\n- e'],
    ['* a\nb', '- a\n\nb'],
    ['----', '---'],
    ['bq. said\nthen', '> said\n\nthen'],
    ['{quote}\na\n\nb\n{quote}\nc', '> a\n>\n> b\n\nc'],
    ['{quote}a{quote}b', '> a\n\nb'],
    ['||a||b||\n|1|[x|https://e.com]|\nend', '| a | b |\n| --- | --- |\n| 1 | [x](<https://e.com>) |\n\nend'],
    ['|1|2|', '|  |  |\n| --- | --- |\n| 1 | 2 |'],
    ['a\n{code:java}\nint *x*; // <b>\n{code}\nb', 'a\n```java\nint *x*; // <b>\n```\nb'],
    ['{code:title=A.js|borderStyle=solid|javascript}x{code}', '```javascript\nx\n```'],
    ['{noformat}\n  {quote} {code}\n{noformat}', '```\n  {quote} {code}\n```'],
    ['{quote}\n{code}\nx\n\ny\n{code}\n{quote}', '> ```\n> x\n>\n> y\n> ```\n'],
    ['{code}never closed', '```\nnever closed\n```'],
    ['{code}```{code}', '````\n```\n````'],
    ['{code}' + '`'.repeat(50) + '{code}', '~~~\n' + '`'.repeat(50) + '\n~~~'],
    ['{unknown}', '{unknown}'],
  ])('converts %j', (text, expected) => {
    expect(toMarkdown(text)).toBe(expected);
  });

  it('leaves no tag outside of code, and loses no word', () => {
    const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (given) => {
        const markdown = toMarkdown(given);
        expect(markdown.isWellFormed()).toBe(true);
        if (!/[`~]|code|noformat|\{\{/.test(given)) expect(markdown).not.toMatch(/(?<!\\)<b>/);
        const count = (of: string): number => of.split('é😀').length;
        expect(count(markdown)).toBe(count(given));
      }),
      { numRuns: runs(3000) },
    );
  });

  it.each([
    '[',
    '[a|',
    '{{',
    '{{a',
    ' *a',
    ' -a',
    ' +a',
    '!a',
    '!a.png|',
    '{code',
    '{code:',
    '{code}',
    '{noformat}{code}',
    '{quote}',
    '|[',
    '||',
    '<',
    '`',
    '{color:',
    '\n ',
    '\n* ',
    ' ',
  ])('takes time in proportion to a text of %j', (piece) => {
    const time = (length: number): number => {
      const text = piece.repeat(length / piece.length);
      const began = performance.now();
      toMarkdown(text);
      return performance.now() - began;
    };
    // One that is quadratic takes minutes.
    expect(time(500_000)).toBeLessThan(20_000);
  });
});
