import fc from 'fast-check';
import { isThorough, runs } from '../../../test/support/thoroughness';
import { type EditorNode } from './editor-node';
import { convertMarkdown } from './markdown';

const MAX_LENGTH = 1_000_000;

const documentOf = (markdown: string): EditorNode =>
  JSON.parse(convertMarkdown(markdown, MAX_LENGTH)?.json ?? 'null') as EditorNode;

/** Abbreviates the document: `p("a",b("c"))` is a paragraph with a plain text and a bold one. */
function short({ type, text, marks = [], attrs, content = [] }: EditorNode): string {
  const own =
    text === undefined
      ? `${type}${attrs ? JSON.stringify(Object.values(attrs)) : ''}(${content.map(short).join(',')})`
      : JSON.stringify(text);
  return marks.reduceRight(
    (inner, mark) => `${mark.type}${mark.attrs ? `[${mark.attrs.href}]` : ''}(${inner})`,
    own,
  );
}

const shortOf = (markdown: string): string => documentOf(markdown).content?.map(short).join(' ') ?? '';

describe('the conversion of Markdown', () => {
  it.each([
    ['', 'paragraph()'],
    ['one\ntwo\n\nthree', 'paragraph("one",hardBreak(),"two") paragraph("three")'],
    ['# One #\n## *Two*', 'heading[1]("One") heading[2](italic("Two"))'],
    ['#hash\n#\n####### x', 'paragraph("#hash") heading[1]() paragraph("####### x")'],
    ['One\n===\n*Two*\n---', 'heading[1]("One") heading[2](italic("Two"))'],
    [
      'a **b _c_ d** ~~e~~ `f*`',
      'paragraph("a ",bold("b "),bold(italic("c")),bold(" d")," ",strike("e")," ",code("f*"))',
    ],
    ['***a*** **a *b*** *c', 'paragraph(italic(bold("a"))," ",bold("a "),bold(italic("b"))," *c")'],
    ['*a *b* c* d', 'paragraph(italic("a "),italic("b"),italic(" c")," d")'],
    ['snake_case_name 2 * 3 * 4 ~', 'paragraph("snake_case_name 2 * 3 * 4 ~")'],
    ['\\*a\\* \\a b\\\nc', 'paragraph("*a* \\\\a b",hardBreak(),"c")'],
    ['``a`b`` `c', 'paragraph(code("a`b")," `c")'],
    ['&lt;b&gt; &copy; &x;', 'paragraph("<b> © &x;")'],
    [
      '[a **b**](/c "d") ![e](f.png "g") <https://h.i> https://j.k/l.',
      'paragraph(link[/c]("a "),bold(link[/c]("b"))," ",image["f.png","e","g"]()," ",' +
        'link[https://h.i]("https://h.i")," ",link[https://j.k/l]("https://j.k/l"),".")',
    ],
    ['[a](/b_(c)) [d [e]](</f g>)', 'paragraph(link[/b_(c)]("a")," ",link[/f g]("d [e]"))'],
    ['[a][B] [b] [c][]\n\n[b]: /d "e"', 'paragraph(link[/d]("a")," ",link[/d]("b")," [c][]")'],
    [
      '[![a *b*](c.png)](/d) **[`e`](/é)**',
      'paragraph(link[/d](image["c.png","a b",null]())," ",bold(code(link[/é]("e"))))',
    ],
    ['[a](javascript:alert(1)) [b](data:x) [c]', 'paragraph("[a](javascript:alert(1)) [b](data:x) [c]")'],
    [
      '[a](javascript&colon;x) ![b](data:image/png;base64,x) <vbscript:x>',
      'paragraph("[a](javascript:x) ![b](data:image/png;base64,x) <vbscript:x>")',
    ],
    ['a@b.cd www.e.fg ftp://h.i //j.k', 'paragraph("a@b.cd www.e.fg ftp://h.i //j.k")'],
    ['<script>alert(1)</script> <@U1>', 'paragraph("<script>alert(1)</script> <@U1>")'],
    [
      '- a\n- b\n  - c\n\n  d\n* e',
      'bulletList(listItem(paragraph("a")),listItem(paragraph("b"),bulletList(listItem(paragraph("c"))),paragraph("d"))) bulletList(listItem(paragraph("e")))',
    ],
    [
      '3. a\n4. b\n\n-',
      'orderedList[3](listItem(paragraph("a")),listItem(paragraph("b"))) bulletList(listItem(paragraph()))',
    ],
    ['> a\n> > b\n\nc', 'blockquote(paragraph("a"),blockquote(paragraph("b"))) paragraph("c")'],
    ['>', 'blockquote(paragraph())'],
    [
      '```ts x\n# a\n\n```\n~~~\n```\n~~~\n\n    b',
      'codeBlock["ts"]("# a\\n") codeBlock[null]("```") codeBlock[null]("b")',
    ],
    ['```\n```', 'codeBlock[null]()'],
    ['a\n\n---\n* * *\n_ _', 'paragraph("a") horizontalRule() horizontalRule() paragraph("_ _")'],
    [
      '|a|b|\n|-|:-:|\n|*c*|d\\|e|f|\n|g|\n\nh',
      'table(tableRow(tableHeader(paragraph("a")),tableHeader(paragraph("b"))),' +
        'tableRow(tableCell(paragraph(italic("c"))),tableCell(paragraph("d|e"))),' +
        'tableRow(tableCell(paragraph("g")),tableCell(paragraph()))) paragraph("h")',
    ],
    ['a | b\n\n-- | --', 'paragraph("a | b") paragraph("-- | --")'],
  ])('converts %j', (markdown, expected) => {
    expect(shortOf(markdown)).toBe(expected);
  });

  it.each([
    [
      '- [ ] a\n- [x] *b*\n- [X] c',
      'taskList(taskItem[false](paragraph("a")),taskItem[true](paragraph(italic("b"))),taskItem[true](paragraph("c")))',
    ],
    [
      '- [ ] a\n\n  b\n  - [x] c',
      'taskList(taskItem[false](paragraph("a"),paragraph("b"),taskList(taskItem[true](paragraph("c")))))',
    ],
    [
      '- a\n- [ ] b\n- [] c',
      'bulletList(listItem(paragraph("a"))) taskList(taskItem[false](paragraph("b"))) bulletList(listItem(paragraph("[] c")))',
    ],
    ['- [ ]\n- [x]a', 'bulletList(listItem(paragraph("[ ]")),listItem(paragraph("[x]a")))'],
    [
      '- \\[ ] a\n- a\n\n  [ ] b',
      'bulletList(listItem(paragraph("[ ] a")),listItem(paragraph("a"),paragraph("[ ] b")))',
    ],
    ['1. [ ] a\n\n[x] b', 'orderedList[1](listItem(paragraph("[ ] a"))) paragraph("[x] b")'],
    ['- [x] a\n\n[x]: /b', 'bulletList(listItem(paragraph(link[/b]("x")," a")))'],
  ])('converts the tasks of %j', (markdown, expected) => {
    expect(shortOf(markdown)).toBe(expected);
  });

  it('returns the plain text without formatting', () => {
    const markdown =
      '# A\n\nb **c**\nd\n\n- e\n- `f`\n- [x] g\n\n|h|i|\n|-|-|\n|j|![k](l)|\n\n```\nm\n  n\n```\n\n[o][p]\n\n[p]: q';
    expect(convertMarkdown(markdown, MAX_LENGTH)?.plain).toBe('A\nb c\nd\ne\nf\ng\nh\ti\nj\tk\nm\n  n\no');
  });

  it('keeps the words of a text in order, whatever is between them', () => {
    const marks = fc.constantFrom(
      ...'*_~`[]()!<>#|-=+.:\\&;"\n\t '.split(''),
      '\n\n',
      '\n- ',
      '\n> ',
      '\n1. ',
      '\n|',
      '- [x] ',
    );
    const word = fc.constantFrom('apple', 'birne', 'ちかい');
    const parts = fc.array(fc.oneof(marks, word), { maxLength: 60 });
    fc.assert(
      fc.property(parts, (words) => {
        const markdown = words.join('');
        const { json, plain } = convertMarkdown(markdown, MAX_LENGTH) ?? { json: '', plain: '' };
        const wordsOf = (text: string): string[] => text.match(/apple|birne|ちかい/g) ?? [];
        const all = wordsOf(markdown);
        // Addresses, titles and languages of code are not in the plain text; definitions of references are nowhere.
        let next = 0;
        for (const one of wordsOf(plain)) next = all.indexOf(one, next) + 1 || Infinity;
        expect(next).not.toBe(Infinity);
        expectValid(JSON.parse(json) as EditorNode);
      }),
      { numRuns: runs(5000) },
    );
  });

  it('nests at most eight levels', () => {
    expect(shortOf(`${'>'.repeat(50_000)}a`)).toBe(
      `${'blockquote('.repeat(8)}paragraph("${'>'.repeat(49_992)}a")${')'.repeat(8)}`,
    );
    const deep = Array.from({ length: 100 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n');
    expect(shortOf(deep).split('bulletList').length - 1).toBe(8);
    expect(shortOf('> - '.repeat(100)).split(/bulletList|blockquote/).length - 1).toBe(8);
  });

  it.each([
    ['lines', 'The loop reads past the end of the list.\n'],
    ['lists', '- item 12\n- another item\n'],
    ['tables', '| Name | Number of items |\n|---|---|\n| wheel | 12345 |\n| another part | 1 |\n\n'],
    ['formatted words', 'The *loop* reads **past** the `end` of [the list](/a).\n'],
  ])('converts %s of the maximum length', (_name, part) => {
    const markdown = part.repeat(100_000 / part.length);
    expect(convertMarkdown(markdown, MAX_LENGTH)?.plain.length).toBeGreaterThan(40_000);
  });

  it.each([
    ['- a\n'.repeat(25_000)],
    ['*a* b '.repeat(20_000)],
    [`|${'a|'.repeat(50)}\n|${'-|'.repeat(50)}\n${'|\n'.repeat(40_000)}`],
    [`[a]: /${'b'.repeat(50_000)}\n\n${'[a] '.repeat(12_000)}`],
    [`![a]\n\n[a]: /b "${'c'.repeat(50_000)}"\n\n${'![a] '.repeat(10_000)}`],
    [`[${'*a* '.repeat(10_000)}](/${'b'.repeat(50_000)})`],
  ])('refuses content with too much formatting (case %#)', (markdown) => {
    expect(convertMarkdown(markdown, MAX_LENGTH)).toBeUndefined();
  });

  it('refuses a text whose JSON is too long only because of its quotation marks', () => {
    expect(convertMarkdown('"'.repeat(100), 250)).toBeUndefined();
    expect(convertMarkdown('a'.repeat(100), 250)).toBeDefined();
  });
});

/** As long as a document may be, and ten times as long. */
const LENGTH = isThorough ? 1_000_000 : 100_000;

/** The numbers from 0 to this have that sum. */
const STEPS = Math.floor(Math.sqrt(2 * LENGTH));

const full = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);

/** Texts that take parsers of Markdown long. */
const HOSTILE: Record<string, string> = {
  brackets: full('['),
  'closing brackets': full(']'),
  'nested links': `${full('[').slice(0, LENGTH / 2)}a${full('](b)').slice(0, LENGTH / 2)}`,
  links: full('[a]('),
  titles: full('[a](b "'),
  images: full('!['),
  'nested images': `${full('![').slice(0, LENGTH / 2)}a${full('](b)').slice(0, LENGTH / 2)}`,
  'links of references': full('[a]['),
  definitions: Array.from({ length: LENGTH / 12 }, (_, number) => `[r${number}]: /u`).join('\n'),
  'an unfinished definition': full('[a]: b "\n'),
  'lines of brackets': full('[\n'),
  stars: full('*'),
  'opened emphasis': full('*a _b **c '),
  'closed emphasis': full('a* b_ c** '),
  'mixed emphasis': full('**x*'),
  'emphasis and brackets': full('[*a'),
  tildes: full('~~a'),
  backquotes: full('`a``'),
  'runs of backquotes': Array.from({ length: STEPS }, (_, length) => `e${'`'.repeat(length)}`).join(''),
  addresses: full('<http://'),
  'bare addresses': full('http://a'),
  'bare addresses with brackets': full('http://a/['),
  dots: `http://a${'.'.repeat(LENGTH)}`,
  escapes: full('\\'),
  entities: full('&amp;'),
  'unfinished entities': full('&#x'),
  html: full('<![CDATA['),
  quotes: full('>'),
  'quoted lines': full('> - a\n'),
  'continued quotes': `${'> '.repeat(8)}a\n${full('b\n')}`,
  'quotes and lists': full('> - '),
  'a list in a list': Array.from({ length: STEPS }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
  items: full('- a\n'),
  'blank items': full('-\n\n'),
  fence: `\`\`\`${' '.repeat(LENGTH)}\``,
  'list markers like a rule': `${full('- ')}x`,
  'heading marks': `# ${full('# ')}x`,
  underlines: full('a\n-\n'),
  spaces: full(' '),
  'a long table': `|a|b|c|\n|-|-|-|\n${full('|*a*|b|c|\n')}`,
  'a wide table': `${full('|').slice(0, LENGTH / 2)}\n${full('-|').slice(0, LENGTH / 2)}`,
  'a table of short rows': `${full('|a').slice(0, LENGTH / 4)}|\n${full('|-').slice(0, LENGTH / 4)}|\n${full('|\n')}`,
};

describe('convertMarkdown with a hostile text', () => {
  it.each(Object.entries(HOSTILE))('takes linear time for %s', (_name, text) => {
    const start = performance.now();
    convertMarkdown(text, MAX_LENGTH);
    // Thirty times the longest usual duration. Quadratic growth would take minutes.
    expect(performance.now() - start).toBeLessThan(0.3 * LENGTH);
  });
});

/** Which nodes a node of the editor contains. */
const CONTENTS: Readonly<Record<string, RegExp>> = {
  doc: /./,
  paragraph: /^(text|hardBreak|image)$/,
  heading: /^(text|hardBreak|image)$/,
  codeBlock: /^text$/,
  blockquote: /./,
  bulletList: /^listItem$/,
  orderedList: /^listItem$/,
  taskList: /^taskItem$/,
  listItem: /./,
  taskItem: /./,
  table: /^tableRow$/,
  tableRow: /^table(Header|Cell)$/,
  tableHeader: /^paragraph$/,
  tableCell: /^paragraph$/,
};

function expectValid({ type, content, text }: EditorNode): void {
  if (text !== undefined) expect([type, text]).not.toEqual(['text', '']);
  else if (!(type in CONTENTS))
    expect([type, content]).toEqual([expect.stringMatching(/^(hardBreak|image|horizontalRule)$/), undefined]);
  // Only blocks of text may be empty.
  else
    expect([type, content?.length ?? 0]).not.toEqual([
      expect.not.stringMatching(/^(paragraph|heading|codeBlock)$/),
      0,
    ]);
  for (const child of content ?? []) {
    expect(child.type).toMatch(CONTENTS[type] ?? /^$/);
    expectValid(child);
  }
}
