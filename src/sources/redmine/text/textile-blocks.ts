import { guard, guardLine, plainMarkdown } from './guards';
import { type Tokens } from './tokens';

/** Parts of a text that are converted apart: a quote, a rule, or lines of Textile without an empty one. */
export type Part =
  | { kind: 'quote'; lines: string[] }
  | { kind: 'rule' }
  | { kind: 'textile'; lines: string[] };

/** Longer lists and tables are converted in pieces, because libraries take a time that grows with the square of their length. */
const MAX_LINES = 500;
const MAX_CHARACTERS = 10_000;
const MAX_CELLS = 100;
const MAX_SPAN = 20;
const MAX_DEPTH = 6;

const QUOTE = /^ {0,3}>/;
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,}) *$/;
/** Attributes, of limited number and length: Redmine has them, Markdown has not. */
const ATTRIBUTES = String.raw`(?:\([^)\n]{0,100}\)|\{[^}\n]{0,200}\}|\[[a-z_-]{1,20}\]|[<>=()]){0,6}`;
const BLOCK = new RegExp(String.raw`^(h[1-6]|bq|p)${ATTRIBUTES}\.(?::\S{1,500})? +(?=\S)`);
const FOOTNOTE = new RegExp(String.raw`^fn(\d{1,5})${ATTRIBUTES}\. +(?=\S)`);
const ITEM = new RegExp(String.raw`^ *([*#]+)${ATTRIBUTES} +(?=\S)`);
const TABLE = new RegExp(String.raw`^table${ATTRIBUTES}\. *$`);
const ROW = new RegExp(String.raw`^(?:${ATTRIBUTES}\. *)?(?=\|)`);
const CELL = /^(?!\.)(_)?((?:\\\d{1,2}|\/\d{1,2}|[<>=^~-]|\([^)\n]{0,100}\)|\{[^}\n]{0,200}\}){0,6})\. ?/;
/** What only the library reads as the start of a block. */
const OTHER_BLOCK = /^(?:b[cq]|div|notextile|pre|h[1-6]|fn\d+|p|[*#]+)(?=\.)/;
const COLLAPSE = /^ *\{\{collapse(?:\(([^\n)]{0,300})\))? *$/;

/** Yields the parts of a text. */
export function* partsOf(text: string): Generator<Part> {
  let lines: string[] = [];
  let quoted: string[] = [];
  let length = 0;
  const ended = function* (): Generator<Part> {
    if (quoted.length > 0) yield { kind: 'quote', lines: quoted };
    if (lines.length > 0) yield { kind: 'textile', lines };
    [lines, quoted, length] = [[], [], 0];
  };
  for (const line of withoutFolds(text)) {
    if (QUOTE.test(line)) {
      if (lines.length > 0) yield* ended();
      quoted.push(line.replace(/^ *> ?/, ''));
      continue;
    }
    if (quoted.length > 0) yield* ended();
    const isRule = RULE.test(line);
    const isFull = lines.length >= MAX_LINES || length >= MAX_CHARACTERS;
    if (isRule || isFull || line.trim() === '' || BLOCK.test(line) || FOOTNOTE.test(line)) yield* ended();
    if (isRule) {
      yield { kind: 'rule' };
    } else if (line.trim() !== '') {
      lines.push(line);
      length += line.length;
    }
  }
  yield* ended();
}

/** Yields the lines of a text, with the titles of sections that Redmine folds as paragraphs. */
function* withoutFolds(text: string): Generator<string> {
  let open = 0;
  for (const line of text.split('\n')) {
    const fold = COLLAPSE.exec(line);
    if (fold) {
      open++;
      yield* ['', fold[1] ? `*${fold[1]}*` : '', ''];
    } else if (open > 0 && line.trim() === '}}') {
      open--;
      yield '';
    } else {
      yield line;
    }
  }
}

/** Returns lines of Textile with no other meaning than in Redmine, and nothing that takes the library long. */
export function guardLines(source: readonly string[]): string {
  const lines = source.map((line) => line.trim());
  const guarded: string[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as string;
    if (TABLE.test(line) && ROW.test(lines[index + 1] ?? '')) continue;
    const end = ROW.test(line) ? endOfRow(lines, index) : undefined;
    const row = end === undefined ? undefined : guardRow(lines.slice(index, end).join('\n'));
    if (row !== undefined && end !== undefined) {
      guarded.push(row);
      index = end - 1;
    } else {
      guarded.push(guardStart(line, index === 0));
    }
  }
  return guarded.join('\n');
}

/** Returns the index behind the last line of a row; undefined if it does not end. */
function endOfRow(lines: readonly string[], start: number): number | undefined {
  for (let index = start; index < lines.length; index++) {
    const line = lines[index] as string;
    if (index > start && ROW.test(line)) return undefined;
    if (line.endsWith('|') && (index > start || line.replace(ROW, '').length > 1)) return index + 1;
  }
  return undefined;
}

function guardRow(row: string): string | undefined {
  const cells = row.replace(ROW, '').slice(1, -1).split('|');
  if (cells.length > MAX_CELLS) return undefined;
  const guarded = cells.flatMap((cell) => {
    const [all = '', isHead, modifiers = ''] = CELL.exec(cell) ?? [];
    const text = `${isHead === undefined ? '' : '_. '}${guardText(cell.slice(all.length).trim())}`;
    // Markdown has no cells of several columns.
    const columns = Number(/\\(\d+)/.exec(modifiers)?.[1] ?? 1);
    return [text, ...Array.from({ length: Math.min(columns, MAX_SPAN) - 1 }, () => '')];
  });
  return `|${guarded.join('|')}|`;
}

const guardText = (text: string): string => text.split('\n').map(guardLine).join('\n');

function guardStart(line: string, isFirst: boolean): string {
  const item = ITEM.exec(line);
  if (item?.[1] !== undefined) {
    return `${item[1].slice(0, MAX_DEPTH)} ${guardLine(line.slice(item[0].length))}`;
  }
  const block = isFirst ? BLOCK.exec(line) : null;
  if (block) return `${block[1]}. ${guardLine(line.slice(block[0].length))}`;
  const footnote = isFirst ? FOOTNOTE.exec(line) : null;
  if (footnote) return guardLine(`[${footnote[1]}] ${line.slice(footnote[0].length)}`);
  const other = OTHER_BLOCK.exec(line)?.[0];
  return other === undefined
    ? guardLine(line)
    : `${guardLine(other)}${guard('.')}${guardLine(line.slice(other.length + 1))}`;
}

/**
 * Returns a text with tokens in place of the blocks `<pre>` and `<code>`, in which Redmine reads nothing; one without an end goes to the end of
 * the text.
 */
export function takeCode(text: string, tokens: Tokens): string {
  const parts: string[] = [];
  let done = 0;
  for (let tag = nextTag(text, 0); tag; tag = nextTag(text, done)) {
    const { start, name, attributes, end } = tag;
    const closing = new RegExp(`</${name}>`, 'gi');
    closing.lastIndex = end;
    const close = closing.exec(text);
    const content = text.slice(end, close?.index ?? text.length);
    parts.push(text.slice(done, start), tokenOf(name, attributes, content, isQuoted(text, start), tokens));
    done = close ? closing.lastIndex : text.length;
  }
  parts.push(text.slice(done));
  return parts.join('');
}

interface Tag {
  start: number;
  name: string;
  attributes: string;
  end: number;
}

const TAG = /<(pre|code|kbd|notextile)\b([^<>\n]{0,200})>/gi;

function nextTag(text: string, from: number): Tag | undefined {
  TAG.lastIndex = from;
  const found = TAG.exec(text);
  if (!found) return undefined;
  const [, name = '', attributes = ''] = found;
  return { start: found.index, name: name.toLowerCase(), attributes, end: TAG.lastIndex };
}

const LANGUAGE = /class=["']?([\w+#-]{1,30})/i;

function tokenOf(name: string, attributes: string, content: string, quoted: boolean, tokens: Tokens): string {
  if (content.trim() === '') return '';
  if (name === 'notextile') return tokens.inline(plainMarkdown(content.replace(/\s+/g, ' ')));
  if (name !== 'pre')
    return content.includes('\n') ? tokens.block(unindented(content)) : tokens.code(content);
  const inner = /^\s*<code\b([^<>\n]{0,200})>/i.exec(content);
  const language = LANGUAGE.exec(inner?.[1] ?? attributes)?.[1] ?? '';
  const code = content.slice(inner?.[0].length ?? 0).replace(/<\/code>\s*$/i, '');
  const lines = quoted ? code.replace(/^> ?/gm, '') : code;
  return tokens.block(unindented(lines), language);
}

/** Returns code without the empty lines around it. */
const unindented = (code: string): string => code.replace(/^\s*\n/, '').trimEnd();

const MAX_MARK = 10;

/** Whether a place is the first of a line that is quoted. */
const isQuoted = (text: string, place: number): boolean =>
  /(?:^|\n) {0,3}>[> ]*$/.test(text.slice(Math.max(0, place - MAX_MARK), place));
