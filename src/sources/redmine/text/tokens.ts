import { finishLine, TOKEN } from './guards';

const INLINE = /;\ue300(\d+)\ue301;/g;
const BLOCK = /;\ue302(\d+)\ue303;/;

interface Block {
  language: string;
  code: string;
}

/** Parts of a text that are Markdown or code already. A token, which no conversion changes, stands for each of them. */
export class Tokens {
  private readonly inlines: string[] = [];
  private readonly blocks: Block[] = [];

  /** Returns the token of a piece of Markdown within a line. */
  inline(markdown: string): string {
    return `${TOKEN}${this.inlines.push(markdown) - 1}\ue301;`;
  }

  /** Returns the token of code within a line. */
  code(code: string): string {
    return this.inline(inlineCode(code));
  }

  /** Returns the token of a block of code. */
  block(code: string, language = ''): string {
    return `;\ue302${this.blocks.push({ code, language }) - 1}\ue303;`;
  }

  /** Returns the Markdown of a conversion with the parts in place of their tokens. */
  finish(markdown: string): string {
    const lines: string[] = [];
    for (const line of markdown.split('\n')) this.finishLine(line, lines);
    while (lines.at(-1) === '') lines.pop();
    return lines.join('\n');
  }

  private finishLine(line: string, lines: string[]): void {
    const isRow = line.startsWith('| ');
    const whole = isRow
      ? line.replace(new RegExp(BLOCK, 'g'), (_, index: string) => this.codeOf(index))
      : line;
    const [first = '', ...rest] = whole.split(BLOCK);
    if (rest.length === 0) {
      lines.push(this.inlined(first, isRow).trimEnd());
      return;
    }
    const mark = /^ *(?:(?:[-*+]|\d+\.) +)*/.exec(whole)?.[0] ?? '';
    const indent = ' '.repeat(mark.length);
    const added: string[] = [];
    const push = (text: string): void => {
      added.push(text === '' ? '' : `${added.length > 0 ? indent : mark}${text}`);
    };
    const before = first.slice(mark.length).trim();
    if (before !== '') push(this.inlined(before, false));
    // Texts and the indexes of blocks alternate.
    for (let place = 0; place < rest.length; place += 2) {
      if (added.length > 0 && added.at(-1) !== '') push('');
      for (const codeLine of fenced(this.blocks[Number(rest[place])] as Block)) push(codeLine);
      const after = (rest[place + 1] ?? '').trim();
      push('');
      if (after !== '') push(this.inlined(after, false));
    }
    for (const one of added) lines.push(one);
  }

  private inlined(line: string, isRow: boolean): string {
    return finishLine(line).replace(INLINE, (_, index) => {
      const markdown = this.whole(Number(index));
      return isRow ? markdown.replace(/(?<!\\)\|/g, '\\|') : markdown;
    });
  }

  /** Returns the Markdown of a token, with that of the earlier ones in it. */
  private whole(index: number): string {
    return (this.inlines[index] ?? '').replace(INLINE, (_, inner) =>
      Number(inner) < index ? this.whole(Number(inner)) : '',
    );
  }

  /** Returns the token of a block as code within a cell. */
  private codeOf(index: string): string {
    return this.code((this.blocks[Number(index)] as Block).code);
  }
}

/** Returns code within a line. */
export function inlineCode(code: string): string {
  const line = code.replace(/\s+/g, ' ').trim();
  if (line === '') return '';
  const runs = new Set((line.match(/`+/g) ?? []).map((run) => run.length));
  let length = 1;
  while (runs.has(length)) length++;
  const fence = '`'.repeat(length);
  const space = line.startsWith('`') || line.endsWith('`') ? ' ' : '';
  return `${fence}${space}${line}${space}${fence}`;
}

/** Yields the lines of a fenced block. */
function* fenced({ code, language }: Block): Generator<string> {
  const runs = (code.match(/`{3,}/g) ?? []).map((run) => run.length + 1);
  const fence = '`'.repeat(runs.reduce((one, other) => Math.max(one, other), 3));
  yield `${fence}${language}`;
  yield* code.split('\n');
  yield fence;
}
