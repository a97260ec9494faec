import { convertMarkdown } from '../documents/editor/markdown';
import { editorMarkdown } from './editor-markdown';

const MAX = 1_000_000;

const jsonOf = (markdown: string): string => convertMarkdown(markdown, MAX)!.json;

describe('editorMarkdown', () => {
  it.each([
    ['paragraphs and breaks', 'One\ntwo\n\nthree'],
    ['headings', '# One\n\n###### Six'],
    ['marks', '**bold** *italic* ~~strike~~ `code` ***both***'],
    ['links and pictures', '[text](https://example.com/a_b) ![alt *x*](https://example.com/x.png)'],
    ['linked code', '[`code`](/path)'],
    ['quotes', '> One\n>\n> two\n>\n> > three'],
    ['lists', '- One\n- two\n  - three\n  - four\n\n    more'],
    ['ordered lists', '3. One\n4. two\n   1. three'],
    ['tasks', '- [ ] open\n- [x] done'],
    ['code blocks', '```ts\nconst a = `b`;\n\n~~~\n```'],
    ['code blocks with fences', '````\n```\ncode\n```\n````'],
    ['lines', 'One\n\n---\n\ntwo'],
    ['tables', '| A | B |\n| - | - |\n| 1 | `x` |\n| **2** | a \\| b |'],
    [
      'characters with a meaning',
      '\\*no\\* \\_no\\_ \\# \\[x\\] \\<b\\> 1\\. a\n\n1\\. no list\n\n\\- no list\n\n\\+ no list',
    ],
    ['code with backticks', '`` a`b `` and `` ` ``'],
  ])('is read again as the same document: %s', (_what, markdown) => {
    const json = jsonOf(markdown);
    expect(JSON.parse(jsonOf(editorMarkdown(json, '')))).toEqual(JSON.parse(json));
  });

  it('returns the text of what it cannot read', () => {
    const deep = `${'{"type":"blockquote","content":['.repeat(200)}{"type":"text","text":"x"}${']}'.repeat(200)}`;
    for (const json of ['', 'null', '{"content":1}', `{"type":"doc","content":[${deep}]}`])
      expect(editorMarkdown(json, 'plain')).toBe('plain');
  });

  it('shows the content of unknown nodes', () => {
    const text = { type: 'text', text: 'x' };
    const json = JSON.stringify({
      type: 'doc',
      content: [{ type: 'panel', content: [{ type: 'paragraph', content: [text] }] }],
    });
    expect(editorMarkdown(json, '')).toBe('x');
  });
});
