/** A part of a text. */
export interface TextPart {
  text: string;
  isCode: boolean;
}

/** A code block of the family's own notation. */
const NOTATION_CODE = /\{code(?::[^{}\n]{0,50})?\}/g;
const NOTATION_END = '{/code}';
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;

/**
 * Splits a text into code and the rest. Markdown has fenced and indented blocks and spans between backticks, the family's notation has
 * `{code}`; a text may have both, because few say which they are in. Takes time in proportion to the length of the text.
 */
export function codeParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let at = 0;
  for (const { index, 0: opening } of text.matchAll(NOTATION_CODE)) {
    if (index < at) continue;
    const end = text.indexOf(NOTATION_END, index + opening.length);
    if (end === -1) break;
    addMarkdown(parts, text.slice(at, index));
    at = end + NOTATION_END.length;
    add(parts, text.slice(index, at), true);
  }
  addMarkdown(parts, text.slice(at));
  return parts;
}

function add(parts: TextPart[], text: string, isCode: boolean): void {
  const last = parts.at(-1);
  if (last?.isCode === isCode) last.text += text;
  else if (text !== '') parts.push({ text, isCode });
}

function addMarkdown(parts: TextPart[], text: string): void {
  let fence: string | undefined;
  let paragraph = '';
  let isInList = false;
  const endParagraph = (): void => {
    addSpans(parts, paragraph);
    paragraph = '';
  };
  for (const line of text.split(/(?<=\n)/)) {
    // Quotes and items of lists may contain blocks.
    const inner = line.replace(/^[ \t>]+/, '').trimEnd();
    const found = fenceOf(inner.replace(LIST_ITEM, '').trimStart());
    if (fence !== undefined) {
      add(parts, line, true);
      if (inner.startsWith(fence) && isFilledWith(inner, fence.charAt(0))) fence = undefined;
    } else if (found !== undefined) {
      endParagraph();
      fence = found;
      add(parts, line, true);
    } else if (line.trim() === '') {
      endParagraph();
      add(parts, line, false);
    } else if (paragraph === '' && !isInList && /^(?: {4}|\t)/.test(line)) add(parts, line, true);
    else {
      if (paragraph === '' && !/^(?: {2}|\t)/.test(line)) isInList = LIST_ITEM.test(inner);
      paragraph += line;
    }
  }
  endParagraph();
}

/** Returns the fence that opens a code block, if a line does. */
function fenceOf(line: string): string | undefined {
  const fence = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
  return fence?.startsWith('`') && line.includes('`', fence.length) ? undefined : fence;
}

function isFilledWith(text: string, character: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charAt(index) !== character) return false;
  return true;
}

/** Adds a paragraph, with the spans between backticks as code. */
function addSpans(parts: TextPart[], text: string): void {
  const runs = Array.from(text.matchAll(/`+/g), ({ index, 0: run }) => ({
    start: index,
    length: run.length,
  }));
  /** The positions of the runs by their lengths, last first. */
  const left = new Map<number, number[]>();
  for (const { start, length } of runs.toReversed()) {
    const some = left.get(length);
    if (some) some.push(start);
    else left.set(length, [start]);
  }
  let at = 0;
  for (const { start, length } of runs) {
    if (start < at || text.charAt(start - 1) === '\\') continue;
    const ends = left.get(length) ?? [];
    while ((ends.at(-1) ?? Infinity) <= start) ends.pop();
    const end = ends.at(-1);
    if (end === undefined) continue;
    add(parts, text.slice(at, start), false);
    at = end + length;
    add(parts, text.slice(start, at), true);
  }
  add(parts, text.slice(at), false);
}
