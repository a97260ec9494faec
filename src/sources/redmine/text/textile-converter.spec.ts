import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { isThorough, runs } from '../../../../test/support/thoroughness';
import { type TextLinks } from './redmine-links';
import { convertTextile } from './textile-converter';

const LINKS: TextLinks = {
  base: 'https://redmine.example.com/tracker',
  issueKey: (id) => (id < 100 ? `DEMO-${id}` : undefined),
  pageName: (title) => title.replaceAll('_', ' '),
};

const convert = (text: string): string => convertTextile(text, LINKS).markdown;

/** Accepts HTML, unlike the service. */
const markdown = new MarkdownIt({ html: true, linkify: true });
markdown.validateLink = () => true;

const SCRIPT = /^\s*(?:javascript|data|vbscript):/i;

/** Returns what a Markdown text has of HTML, and of addresses that run a script. */
const dangersIn = (text: string): string[] =>
  markdown
    .parse(text, {})
    .flatMap((token) => [token, ...(token.children ?? [])])
    .flatMap(({ type, content, attrs }) => [
      ...(type.startsWith('html_') ? [content] : []),
      ...(attrs ?? []).map(([, value]) => String(value)).filter((value) => SCRIPT.test(value)),
    ]);

describe('convertTextile', () => {
  it.each([
    ['headings', 'h2. Steps\n\nh3(class){color:red}. More', '## Steps\n\n### More'],
    ['a heading below a text', 'text\nh2. Steps', 'text\n\n## Steps'],
    ['paragraphs and line breaks', 'one\ntwo\n\nthree', 'one\ntwo\n\nthree'],
    ['a paragraph with a style', 'p(note)>. text', 'text'],
    ['formatting', '*bold* _em_ -gone- +new+ ??Book??', '**bold** _em_ ~~gone~~ new Book'],
    ['formatting within formatting', '*_both_* and %{color:red}red%', '**_both_** and red'],
    ['formatting beside brackets and quotes', '(*b*) "*b*"', '(**b**) "**b**"'],
    ['code within a line', 'Run @a_b --c@ and <code>d</code>', 'Run `a_b --c` and `d`'],
    ['code with backticks', '@a`b@', '``a`b``'],
    ['lists', '* a\n** b\n* c', '- a\n    - b\n- c'],
    ['numbered lists', '# a\n# b\n## c', '1. a\n2. b\n    1. c'],
    ['a list below a text', 'Items:\n* a\n* b', 'Items:\n\n- a\n- b'],
    ['an item with two lines', '* a\nb\n* c', '- a\n    b\n- c'],
    ['a list of dashes', '- a\n- b', '- a\n- b'],
    ['quotes', 'bq. a\nb', '> a\n> b'],
    ['quoted replies', 'A wrote:\n> b\n> > c\n\nd', 'A wrote:\n\n> b\n>\n> > c\n\nd'],
    ['a rule', 'a\n---\nb', 'a\n\n---\n\nb'],
    ['footnotes', 'a[1]\n\nfn1. b', 'a\\[1\\]\n\n\\[1\\] b'],
  ])('converts %s', (_what, textile, expected) => {
    expect(convert(textile)).toBe(expected);
  });

  it.each([
    ['with a head', '|_.A|_. B|\n|1|_2_|', '| A | B |\n| --- | --- |\n| 1 | _2_ |'],
    ['without one', '|1|2|\n|3|4|', '| 1 | 2 |\n| --- | --- |\n| 3 | 4 |'],
    ['with styles', 'table(x).\n|(c){d:e}. 1|>. 2|', '| 1 | 2 |\n| --- | --- |'],
    ['with a wide cell', '|\\2. a|\n|1|2|', '| a | |\n| --- | --- |\n| 1 | 2 |'],
    ['with a cell of two lines', '|a\nb|c|', '| a b | c |\n| --- | --- |'],
    ['with links in cells', '|[[A|b]]|#12|', '| b ([[A]]) | DEMO-12 |\n| --- | --- |'],
    ['with code in cells', '|@a@|<pre>b\nc</pre>|', '| `a` | `b c` |\n| --- | --- |'],
  ])('converts tables %s', (_what, textile, expected) => {
    expect(convert(textile)).toBe(expected);
  });

  it.each([
    ['<pre>\na\n  b\n</pre>', '```\na\n  b\n```'],
    ['<pre><code class="ruby">\nputs "#12" # *x*\n</code></pre>', '```ruby\nputs "#12" # *x*\n```'],
    ['<pre>a ``` b</pre>', '````\na ``` b\n````'],
    ['# a\n<pre>\nb\n\n  c\n</pre>\n# d', '1. a\n    ```\n    b\n\n      c\n    ```\n\n2. d'],
    ['> <pre>\n> a\n> </pre>\nb', '> ```\n> a\n> ```\n\nb'],
    ['<pre>without an end *x*', '```\nwithout an end *x*\n```'],
    ['<notextile>*a*</notextile> *b*', '\\*a\\* **b**'],
  ])('keeps code as it is: %j', (textile, expected) => {
    expect(convert(textile)).toBe(expected);
  });

  it.each([
    ['#12, (#13) and ##14', 'DEMO-12, (DEMO-13) and DEMO-14'],
    ['#12-3 #12#note-3', 'DEMO-12 DEMO-12'],
    ['#120 a#12 !#12 #12a', '#120 a#12 #12 #12a'],
    ['*#12* _#13_', '**DEMO-12** _DEMO-13_'],
    ['https://redmine.example.com/tracker/issues/12#note-1', 'DEMO-12'],
    ['https://elsewhere.example.com/issues/12', 'https://elsewhere.example.com/issues/12'],
    ['[[User_guide]] [[Guide|the guide]]', '[[User guide]] the guide ([[Guide]])'],
    ['[[Guide#Install]] [[#top|up]] ![[Guide]]', '[[Guide]] up \\[\\[Guide\\]\\]'],
    ['[[other:Page]] [[other:Page|there]]', 'other:Page there'],
    [
      '"a b":https://a.example/x_(y). "c":/issues',
      '[a b](https://a.example/x_%28y%29). [c](https://redmine.example.com/issues)',
    ],
    [
      'see https://a.example/a_b_c, or http://b.example/*',
      'see https://a.example/a_b_c, or <http://b.example/>\\*',
    ],
    ['https://a.example/~b', '<https://a.example/~b>'],
    ['@<pre>a</pre>@ "<code>b</code>":http://c.example/', '@\n\n```\na\n```\n\n@ [`b`](http://c.example/)'],
    ['attachment:javascript:x', '[javascript:x](javascript%3Ax)'],
    ['!"a":http://b.example/', '\\![a](http://b.example/)'],
    ['"a":javascript:alert(1)', '"a":javascript:alert(1)'],
    ['!a.png! !>b c! !{width:9px}d.png(alt)!', '![a.png](a.png) !>b c! ![alt](d.png)'],
    ['!/x.png!:https://a.example/', '[![/x.png](https://redmine.example.com/x.png)](https://a.example/)'],
    ['!javascript:alert(1)! wow! great!', '!javascript:alert(1)! wow! great!'],
    ['attachment:a.zip. attachment:"b c.pdf"', '[a.zip](a.zip). [b c.pdf](b%20c.pdf)'],
    [
      '{{toc}}\n\n{{include(Guide)}} {{issue(12)}} {{thumbnail(a b.png, size=9)}}',
      '[[Guide]] DEMO-12 ![a b.png](a%20b.png)',
    ],
    ['{{child_pages}} !{{toc}}', '{{child\\_pages}} {{toc}}'],
    ['{{collapse(More)\na *b*\n}}\nc', '**More**\n\na **b**\n\nc'],
  ])('converts the syntax of Redmine: %s', (textile, expected) => {
    expect(convert(textile)).toBe(expected);
  });

  it.each([
    ['Use --force -x, 1920x1080... (c) "a" it\'s', 'Use --force -x, 1920x1080... (c) "a" it\'s'],
    ['a -> b - c 50% of 60%', 'a -> b - c 50% of 60%'],
    ['snake_case_name 2*3*4', 'snake_case_name 2\\*3\\*4'],
    ['x^2^ H~2~O a|b `c` \\d', 'x^2^ H\\~2\\~O a\\|b \\`c\\` \\\\d'],
    ['a < b && c > d &lt;', 'a < b && c > d &lt;'],
    ['<b>bold</b> <script>x</script>', '\\<b>bold\\</b> \\<script>x\\</script>'],
    ['a\n===\nb\n--\n1. c\n+ d\n# ', 'a\n\\===\nb\n\\--\n1\\. c\n\\+ d\n\\#'],
    ['bc. a\n\npre. b\n\nnotextile. c', 'bc. a\n\npre. b\n\nnotextile. c'],
    ['HTML(Hyper Text) ABC', 'HTML(Hyper Text) ABC'],
    ['me@example.com and @you', 'me@example.com and @you'],
  ])('keeps what Redmine shows as it is: %j', (textile, expected) => {
    expect(convert(textile)).toBe(expected);
  });

  it('reads the same lines whatever ends them, and no control characters', () => {
    expect(convert('a\r\nb\rc\u0000\u0007d')).toBe('a\nb\ncd');
  });

  it('returns nothing for an empty text', () => {
    expect([convert(''), convert(' \n\t\n')]).toEqual(['', '']);
  });

  it.each([
    ['is too long', `*a* <b> ${'x'.repeat(100_000)}`],
    ['has characters that stand for others', '*a* <b> ;\ue13c;'],
  ])('leaves a text that %s as it was, with HTML escaped', (_why, text) => {
    expect(convertTextile(text, LINKS)).toEqual({
      markdown: text.replace('<b>', '&lt;b>'),
      isConverted: false,
    });
  });

  const PIECES = [
    ...[
      '*',
      '**',
      '_',
      '__',
      '-',
      '+',
      '^',
      '~',
      '%',
      '??',
      '@',
      '#',
      '##',
      '!',
      '|',
      '||',
      '|_. ',
      '>',
      '> ',
    ],
    ...[
      '"',
      '":',
      '[[',
      ']]',
      '{{',
      '}}',
      '(',
      ')',
      '{',
      '}',
      '[',
      ']',
      '<',
      '</',
      '<pre>',
      '</pre>',
      '<code>',
    ],
    ...[
      '<b>',
      '<!--',
      '-->',
      '<script',
      'h1. ',
      'bq. ',
      'bq.. ',
      'p(a). ',
      'fn1. ',
      'table. ',
      '- ',
      ':=',
      '==',
    ],
    ...[
      '\n',
      '\n\n',
      '\t',
      ' ',
      '\\',
      '`',
      '```',
      '&amp;',
      '#12',
      'https://a.example/',
      'a',
      'B1',
      '1x2',
      ';',
    ],
    ...[
      '{{collapse(a)\n',
      'attachment:',
      'javascript:',
      'data:x',
      'thumbnail(',
      '---',
      '...',
      '\ue100',
      '\ud800',
      'é',
      'ß',
      '漢',
      '\u00a0',
    ],
  ];
  const textile = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 5 })), {
    maxLength: 40,
  });

  it('throws for no text, and returns no HTML', () => {
    fc.assert(
      fc.property(textile, (pieces) => {
        const { markdown: converted, isConverted } = convertTextile(pieces.join(''), LINKS);
        expect([converted, dangersIn(converted)]).toEqual([converted, []]);
        if (isConverted) expect(converted).not.toMatch(/[\ue100-\ue17f\ue300-\ue303]/);
      }),
      { numRuns: runs(10_000) },
    );
  });

  it('returns the same words as the text has', () => {
    const words = fc.array(
      fc.constantFrom('one', 'two', '*three*', '_four_', '(five)', '"six"', 'a-b', 'c_d', '7'),
    );
    fc.assert(
      fc.property(fc.array(words), (lines) => {
        const text = lines.map((line) => line.join(' ')).join('\n');
        const wordsOf = (one: string): string[] => one.match(/[a-z0-9]+/g) ?? [];
        expect(wordsOf(convert(text))).toEqual(wordsOf(text));
      }),
      { numRuns: runs(3000) },
    );
  });

  const LENGTH = isThorough ? 90_000 : 10_000;
  const HOSTILE = [
    ...[
      '*a ',
      '*_a ',
      '*a* ',
      '- ',
      '- a\n',
      '*(',
      'p(',
      '_*',
      '@a ',
      '"a ',
      '"a":',
      '!a ',
      '[[',
      '{{a(',
      '<b>',
      '<pre>',
    ],
    ...[
      '<code>a</code>',
      '* a\n',
      '** a\n* b\n',
      '|a|b|\n',
      '|a',
      '|',
      '> ',
      '>>> a\n',
      '1',
      '1x',
      '1,',
      'ABC(',
      '\n a',
    ],
    ...[
      'http://',
      '#1 ',
      '#',
      '==',
      'h1. a\n',
      '??a ',
      ' ',
      '\t*',
      '`',
      '\\',
      '*_-a-_* ',
      '{{collapse(a)\n',
      '%{a}b% ',
    ],
    ...['"a (', '*\n', '|\n', '- a :=', ':= =:\n', '[a]https://', 'a_'],
  ];

  it.each(HOSTILE)('converts many %j in a short time', (piece) => {
    // More than a square would take minutes.
    const begun = performance.now();
    const { markdown: converted } = convertTextile(piece.repeat(LENGTH / piece.length), LINKS);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(converted.length).toBeLessThan(10 * LENGTH);
  });

  it('converts deep lists, quotes and phrases', () => {
    for (const deep of [
      '*'.repeat(5000) + ' a',
      '>'.repeat(5000) + ' a',
      '*_'.repeat(5000) + 'a' + '_*'.repeat(5000),
    ]) {
      expect(convertTextile(deep, LINKS).isConverted).toBe(true);
    }
  });
});
