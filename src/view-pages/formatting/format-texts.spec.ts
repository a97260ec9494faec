import { convertMarkdown } from '../../documents/editor/markdown';
import { formatTexts } from './format-texts';

const UNLIMITED = { milliseconds: 60_000, length: 10_000_000 };

const htmlOf = (text: string): string | undefined =>
  formatTexts([{ format: 'markdown', text }], UNLIMITED)[0];

describe('formatTexts', () => {
  it.each([
    ['paragraphs', 'a\n\nb', '<p>a</p><p>b</p>'],
    ['line breaks', 'a\nb', '<p>a<br>b</p>'],
    ['headings below those of the page', '# a\n\n###### b', '<h3>a</h3><h6>b</h6>'],
    ['formatting', '**a** *b* ~~c~~ `d`', '<p><strong>a</strong> <em>b</em> <s>c</s> <code>d</code></p>'],
    ['quotes', '> a', '<blockquote><p>a</p></blockquote>'],
    ['numbered lists', '3. a', '<ol start="3"><li><p>a</p></li></ol>'],
    [
      'tasks',
      '- [x] a\n- [ ] b',
      '<ul><li class="task">☑ <p>a</p></li><li class="task">☐ <p>b</p></li></ul>',
    ],
    ['code', '```js\na < b\n```', '<pre><code>a &lt; b</code></pre>'],
    ['rules', '---', '<hr>'],
    [
      'tables',
      '| a |\n| - |\n| b |',
      '<div class="scrolls" tabindex="0"><table><tr><th><p>a</p></th></tr><tr><td><p>b</p></td></tr></table></div>',
    ],
  ])('shows %s', (_what, markdown, html) => {
    expect(htmlOf(markdown)).toBe(html);
  });

  const REL = 'rel="noopener noreferrer nofollow"';

  it.each([
    [
      'https://example.com/?a&b',
      `<p><a href="https://example.com/?a&amp;b" ${REL}>https://example.com/?a&amp;b</a></p>`,
    ],
    [
      '[a **b**](mailto:a@example.com) c',
      `<p><a href="mailto:a@example.com" ${REL}>a <strong>b</strong></a> c</p>`,
    ],
    [
      '[a](https://a.example)[b](https://b.example)',
      `<p><a href="https://a.example" ${REL}>a</a><a href="https://b.example" ${REL}>b</a></p>`,
    ],
    ['![a](https://a.example/a.png)', `<p><a href="https://a.example/a.png" ${REL}>a</a></p>`],
    [
      '![](https://a.example/a.png)',
      `<p><a href="https://a.example/a.png" ${REL}>https://a.example/a.png</a></p>`,
    ],
    ['[![a](https://a.example/a.png)](https://b.example)', `<p><a href="https://b.example" ${REL}>a</a></p>`],
  ])('links %s', (markdown, html) => {
    expect(htmlOf(markdown)).toBe(html);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,a',
    'vbscript:a',
    'ftp://a.example',
    '/view/A-1',
    '//a.example',
    '#a',
  ])('shows a link to %s as text', (address) => {
    expect(htmlOf(`[a](${address}) ![b](${address})`)).not.toMatch(/<a|<img|href/);
  });

  it.each([
    '<script>alert(1)</script>',
    '"><img src=x onerror=alert(1)>',
    "'><svg/onload=alert(1)>",
    '<!-- -->',
  ])('escapes %s in every place', (attack) => {
    const markdown = [
      attack,
      `# ${attack}`,
      `\`${attack}\``,
      `\`\`\`${attack}\n${attack}\n\`\`\``,
      `[${attack}](<https://a.example/${attack}>)`,
      `![${attack}](<https://a.example/${attack}> '${attack}')`,
      `| ${attack} |\n| - |\n| ${attack} |`,
      `- [ ] ${attack}`,
    ].join('\n\n');
    const html = String(htmlOf(markdown));
    expect(html).not.toMatch(/<(?:script|img|svg|!--)/);
    expect(html.replaceAll(/<a href="[^"<>]*" rel="noopener noreferrer nofollow">/g, '')).not.toMatch(
      /<\w+ (?!class="(?:task|scrolls)")/,
    );
  });

  it('shows the document of an editor like its Markdown', () => {
    const markdown = '# a\n\n- **b** [c](https://a.example)';
    const { json = '', plain = '' } = convertMarkdown(markdown, 10_000) ?? {};
    expect(formatTexts([{ format: 'editor', json, text: plain }], UNLIMITED)).toEqual([htmlOf(markdown)]);
  });

  it('escapes a text that is not Markdown', () => {
    const texts = formatTexts([{ format: 'plain', text: '**a**\n<b>' }], UNLIMITED);
    expect(texts).toEqual(['<p class="plain">**a**\n&lt;b&gt;</p>']);
  });

  it('leaves a text without formatting that would become much longer', () => {
    const table = `${'|'.repeat(1000)}\n${'|-'.repeat(999)}|\n${'a\n'.repeat(2000)}`;
    expect(htmlOf(table)).toBe(`<p class="plain">${table}</p>`);
  });

  it('leaves the rest of the texts without formatting once they are long, or took long', () => {
    const texts = [1, 2, 3].map(() => ({ format: 'markdown', text: '**abc**' }) as const);
    const [bold, plain] = ['<p><strong>abc</strong></p>', '<p class="plain">**abc**</p>'];
    expect(formatTexts(texts, { ...UNLIMITED, length: bold.length + 1 })).toEqual([bold, bold, plain]);
    expect(formatTexts(texts, { ...UNLIMITED, milliseconds: 0 })).toEqual([plain, plain, plain]);
  });
});
