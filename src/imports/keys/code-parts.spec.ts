import { codeParts } from './code-parts';

/** The code of a text. */
const codeOf = (text: string): string[] => {
  const parts = [...codeParts(text)];
  expect(parts.map((part) => part.text).join('')).toBe(text);
  const codes: string[] = [];
  let isInCode = false;
  for (const part of parts) {
    if (part.isCode) codes.push((isInCode ? (codes.pop() as string) : '') + part.text);
    if (part.text !== '') isInCode = part.isCode;
  }
  return codes;
};

describe('codeParts', () => {
  it('finds spans between backticks of the same number', () => {
    expect(codeOf('a `b` c ``d ` e`` f')).toEqual(['`b`', '``d ` e``']);
    expect(codeOf('`a ``b``` c')).toEqual([]);
    expect(codeOf('a \\`b` c `d`')).toEqual(['` c `']);
  });

  it('ends a span with its paragraph', () => {
    expect(codeOf('a `b\nc` d')).toEqual(['`b\nc`']);
    expect(codeOf('a `b\n\nc` d')).toEqual([]);
  });

  it('finds fenced blocks, also in lists and quotes, and without an end', () => {
    expect(codeOf('a\n```ts\nb\n```\nc\n')).toEqual(['```ts\nb\n```\n']);
    expect(codeOf('~~~~\na\n~~~\nb\n~~~~\nc')).toEqual(['~~~~\na\n~~~\nb\n~~~~\n']);
    expect(codeOf('- a\n  ```\n  b\n  ```\n- c')).toEqual(['  ```\n  b\n  ```\n']);
    expect(codeOf('- ```\n  b\n  ```\n')).toEqual(['- ```\n  b\n  ```\n']);
    expect(codeOf('> ```\n> a\n> ```\nb')).toEqual(['> ```\n> a\n> ```\n']);
    expect(codeOf('a\n```\nb')).toEqual(['```\nb']);
    expect(codeOf('```a``` b')).toEqual(['```a```']);
  });

  it('finds indented blocks, but no further paragraphs of a list', () => {
    expect(codeOf('a\n\n    b\n\tc\n\nd')).toEqual(['    b\n\tc\n']);
    expect(codeOf('a\n    b')).toEqual([]);
    expect(codeOf('- a\n\n    b\n')).toEqual([]);
    expect(codeOf('- a\n\nb\n\n    c\n')).toEqual(['    c\n']);
  });

  it('finds code of the notation', () => {
    expect(codeOf('a {code}b\n\nc{/code} d {code:java}e{/code}{code}f')).toEqual([
      '{code}b\n\nc{/code}',
      '{code:java}e{/code}',
    ]);
  });

  it('takes no longer than in proportion to the text', () => {
    const crafted = [
      '`'.repeat(200_000),
      '` `` '.repeat(100_000),
      '{code}'.repeat(100_000),
      ' '.repeat(300_000),
      '> '.repeat(100_000),
      `${'- '.repeat(100_000)}\`\`\``,
      Array.from({ length: 600 }, (_, length) => '`'.repeat(length)).join(' '),
    ];
    const started = performance.now();
    for (const text of crafted) {
      let length = 0;
      for (const part of codeParts(text)) length += part.text.length;
      expect(length).toBe(text.length);
    }
    expect(performance.now() - started).toBeLessThan(5000);
  });
});
