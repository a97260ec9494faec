import MarkdownIt from 'markdown-it';
import { parse } from 'yaml';
import { asText, definitionOf, frontMatter, linkTo } from './markdown-text';

const markdown = new MarkdownIt();

describe('asText', () => {
  it('is shown as the text on one line', () => {
    for (const text of ['*a* _b_ `c` [d](e) <f> #g | h & i ~~j~~ ![k] \\l', '&amp; &#65;', '[x]: y']) {
      expect(markdown.renderInline(asText(text))).toBe(markdown.utils.escapeHtml(text));
    }
    expect(asText('a\nb\t c')).toBe('a b c');
  });
});

describe('linkTo', () => {
  it('leads from the folder of one file to the other', () => {
    expect(linkTo('A/index.txt', 'A/wiki/x y (1).txt', 'x')).toBe('[x](wiki/x%20y%20%281%29.txt)');
    expect(linkTo('A/b/c.txt', 'A/d/é#?.png', '[é]')).toBe('[\\[é\\]](../d/%C3%A9%23%3F.png)');
  });
});

describe('definitionOf', () => {
  it('makes a reference of the family lead to the file', () => {
    const definition = definitionOf('a.txt', 'a.files/b c.png', 'b c.png')!;
    expect(markdown.render(`![image][b c.png]\n\n${definition}`)).toContain('src="a.files/b%20c.png"');
  });

  it('is missing for names that no reference can have', () => {
    expect(definitionOf('a.txt', 'b', 'x]: y')).toBeUndefined();
    expect(definitionOf('a.txt', 'b', 'x'.repeat(1000))).toBeUndefined();
  });
});

describe('frontMatter', () => {
  it('is YAML with the fields that have a value', () => {
    const fields = { a: 'x: y', b: ['#1', '- 2'], c: 0, d: false, e: '---\nf', g: 'long '.repeat(50) };
    const text = frontMatter({ ...fields, none: null, empty: '', list: [] });
    const [, yaml = ''] = /^---\n([\s\S]*)---\n$/.exec(text) ?? [];
    expect(parse(yaml)).toEqual(fields);
    expect(yaml).not.toMatch(/^---$/m);
  });
});
