import { type EditorNode } from './editor-node';
import { COMMENT_LIMITS, DOCUMENT_LIMITS, toEditorText } from './editor-text';
import { parseMarkdown } from './markdown';
import { NodeBudget } from './node-budget';

const documentOf = async (markdown: string): Promise<EditorNode> =>
  JSON.parse((await toEditorText(markdown, DOCUMENT_LIMITS)).json) as EditorNode;

/** Abbreviates the document: `p("a",b("c"))` is a paragraph with a plain text and a bold one. */
function short({ type, text, marks = [], attrs, content = [] }: EditorNode): string {
  if (text !== undefined) {
    return marks.reduceRight(
      (inner, mark) => `${mark.type}${mark.attrs ? `[${mark.attrs.href}]` : ''}(${inner})`,
      JSON.stringify(text),
    );
  }
  return `${type}${attrs ? JSON.stringify(Object.values(attrs)) : ''}(${content.map(short).join(',')})`;
}

const shortOf = async (markdown: string): Promise<string> =>
  (await documentOf(markdown)).content?.map(short).join(' ') ?? '';

describe('the conversion of Markdown', () => {
  it.each([
    ['', 'paragraph()'],
    ['one\ntwo\n\nthree', 'paragraph("one",hardBreak(),"two") paragraph("three")'],
    ['# One #\n## *Two*', 'heading[1]("One") heading[2](italic("Two"))'],
    ['#hash\n#\n####### x', 'paragraph("#hash") heading[1]() paragraph("####### x")'],
    [
      'a **b _c_ d** ~~e~~ `f*`',
      'paragraph("a ",bold("b "),bold(italic("c")),bold(" d")," ",strike("e")," ",code("f*"))',
    ],
    ['***a*** **a *b*** *c', 'paragraph(bold(italic("a"))," ",bold("a "),bold(italic("b"))," *c")'],
    ['snake_case_name 2 * 3 * 4 **** ~', 'paragraph("snake_case_name 2 * 3 * 4 **** ~")'],
    ['\\*a\\* \\a b\\\nc', 'paragraph("*a* \\\\a b",hardBreak(),"c")'],
    ['``a`b`` `c', 'paragraph(code("a`b")," `c")'],
    [
      '[a **b**](/c "d") ![e](f.png "g") <https://h.i> https://j.k/l.',
      'paragraph(link[/c]("a "),bold(link[/c]("b"))," ",image["f.png","e","g"]()," ",' +
        'link[https://h.i]("https://h.i")," ",link[https://j.k/l]("https://j.k/l"),".")',
    ],
    ['[a](javascript:alert(1)) [b](data:x) [c]', 'paragraph("[a](javascript:alert(1)) [b](data:x) [c]")'],
    ['<script>alert(1)</script> <@U1>', 'paragraph("<script>alert(1)</script> <@U1>")'],
    [
      '- a\n- b\n  - c\n\n  d\n* e',
      'bulletList(listItem(paragraph("a")),listItem(paragraph("b"),bulletList(listItem(paragraph("c"))),paragraph("d"))) bulletList(listItem(paragraph("e")))',
    ],
    [
      '3. a\n4. b\n-',
      'orderedList[3](listItem(paragraph("a")),listItem(paragraph("b"))) bulletList(listItem(paragraph()))',
    ],
    ['> a\n> > b\n\nc', 'blockquote(paragraph("a"),blockquote(paragraph("b"))) paragraph("c")'],
    ['```ts\n# a\n\n```\n~~~\n```', 'codeBlock["ts"]("# a\\n") codeBlock[null]("```")'],
    ['a\n---\n* * *\n_ _', 'paragraph("a") horizontalRule() horizontalRule() paragraph("_ _")'],
    [
      '|a|b|\n|-|:-:|\n|*c*|d\\|e|f|\n|g|\n\nh',
      'table(tableRow(tableHeader(paragraph("a")),tableHeader(paragraph("b"))),' +
        'tableRow(tableCell(paragraph(italic("c"))),tableCell(paragraph("d|e"))),' +
        'tableRow(tableCell(paragraph("g")),tableCell(paragraph()))) paragraph("h")',
    ],
    ['a | b\n\n-- | --', 'paragraph("a | b") paragraph("-- | --")'],
  ])('converts %j', async (markdown, expected) => {
    expect(await shortOf(markdown)).toBe(expected);
  });

  it('returns the plain text without formatting', async () => {
    const markdown = '# A\n\nb **c**\nd\n\n- e\n- `f`\n\n|g|h|\n|-|-|\n|i|![j](k)|\n\n```\nl\n  m\n```';
    const { plain } = await toEditorText(markdown, DOCUMENT_LIMITS);
    expect(plain).toBe('A\nb c\nd\ne\nf\ng\th\ni\tj\nl\n  m');
  });

  it('nests at most eight levels', async () => {
    expect(await shortOf(`${'>'.repeat(50_000)}a`)).toBe(
      `${'blockquote('.repeat(8)}paragraph("${'>'.repeat(49_992)}a")${')'.repeat(8)}`,
    );
    const deep = Array.from({ length: 100 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n');
    expect((await shortOf(deep)).split('bulletList').length - 1).toBe(8);
  });

  it.each([
    ['- a\n'.repeat(25_000), DOCUMENT_LIMITS],
    ['*a* b '.repeat(10_000), DOCUMENT_LIMITS],
    ['a\n'.repeat(50_000), DOCUMENT_LIMITS],
    [`|${'a|'.repeat(50)}\n|${'-|'.repeat(50)}\n${'|\n'.repeat(40_000)}`, DOCUMENT_LIMITS],
    ['"'.repeat(49_990), COMMENT_LIMITS],
  ])('refuses content with too much formatting (case %#)', async (markdown, limits) => {
    await expect(toEditorText(markdown, limits)).rejects.toThrow(
      'content has too much formatting for its size.',
    );
  });
});

describe('parseMarkdown with a hostile text', () => {
  const LENGTH = 100_000;
  const full = (part: string): string => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);
  const TEXTS: Record<string, string> = {
    brackets: full('['),
    links: full('[a]('),
    titles: full('[a](b "'),
    images: full('!['),
    'opened emphasis': full('*a _b **c '),
    'closed emphasis': full('a* b_ c** '),
    'mixed emphasis': full('**x*'),
    tildes: full('~~a~ '),
    'runs of backquotes': Array.from({ length: 440 }, (_, length) => `e${'`'.repeat(length)}`).join(''),
    backquotes: full('`a``'),
    addresses: full('<http://'),
    'bare addresses': full('http://a'),
    dots: `http://a${'.'.repeat(LENGTH)}`,
    escapes: full('\\'),
    quotes: full('>'),
    'quoted lines': full('> '),
    fence: `\`\`\`${' '.repeat(LENGTH)}\``,
    'list markers like a rule': `${full('- ')}x`,
    'heading marks': `# ${full('# ')}x`,
    spaces: full(' '),
    'cells of a table': `|a|\n|-|\n${full('\\|a')}`,
    'delimiters of a table': `${full('|')}\n${full('-|')}`,
    'a list in a list': Array.from({ length: 440 }, (_, depth) => `${' '.repeat(depth)}- a`).join('\n'),
    'quotes and lists': full('> - '),
    'blank items': full('-\n\n'),
    tabs: full('\t\n'),
  };

  it.each(Object.entries(TEXTS))('parses %s in short steps', (_name, text) => {
    const parsing = parseMarkdown(text, new NodeBudget(1_000_000));
    let longest = 0;
    let total = 0;
    for (let done: boolean | undefined = false; !done;) {
      const start = performance.now();
      ({ done } = parsing.next());
      const took = performance.now() - start;
      longest = Math.max(longest, took);
      total += took;
    }
    // A hundred times the usual durations; quadratic growth would take minutes.
    expect({ longest: longest < 1000, total: total < 3000 }).toEqual({ longest: true, total: true });
  });
});
