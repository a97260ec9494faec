import { MAX_PIECE, piecesOf } from '../../event-loop/long-texts';

/** A part of a text. */
export interface TextPart {
  text: string;
  isCode: boolean;
}

/** Before these, a long text may be divided. */
export const SPACES = ' \n';

/** A code block of the family's own notation. */
const NOTATION_CODE = /\{code(?::[^{}\n]{0,50})?\}/g;
const NOTATION_END = '{/code}';
const LIST_ITEM = /^(?:[-*+]|\d{1,9}[.)])[ \t]/;

/**
 * Divides a text into code and the rest. Markdown has fenced and indented blocks and spans between backticks, the family's notation has
 * `{code}`; a text may have both, because few say which they are in. Takes time in proportion to the length of the text, and yields after
 * each line and each piece of a long paragraph, so that a long text needs no more than a moment at a time.
 */
export function* codeParts(text: string): Generator<TextPart> {
  const opening = new RegExp(NOTATION_CODE);
  let at = 0;
  for (let found = opening.exec(text); found; found = opening.exec(text)) {
    const end = text.indexOf(NOTATION_END, opening.lastIndex);
    if (end === -1) break;
    yield* partsOfMarkdown(text.slice(at, found.index));
    at = end + NOTATION_END.length;
    yield { text: text.slice(found.index, at), isCode: true };
    opening.lastIndex = at;
  }
  yield* partsOfMarkdown(text.slice(at));
}

function* partsOfMarkdown(text: string): Generator<TextPart> {
  let fence: string | undefined;
  /** The lines of the paragraph, or of its last piece. */
  let paragraph = '';
  let isInParagraph = false;
  let isInList = false;
  for (const line of linesOf(text)) {
    // Quotes and items of lists may contain blocks.
    const inner = line.replace(/^[ \t>]+/, '').trimEnd();
    const found = fenceOf(inner.replace(LIST_ITEM, '').trimStart());
    const isBlank = line.trim() === '';
    const isIndented = !isInParagraph && !isInList && /^(?: {4}|\t)/.test(line);
    if (fence === undefined && found === undefined && !isBlank && !isIndented) {
      if (!isInParagraph && !/^(?: {2}|\t)/.test(line)) isInList = LIST_ITEM.test(inner);
      isInParagraph = true;
      if (paragraph.length + line.length > MAX_PIECE) {
        yield* partsOfParagraph(paragraph);
        paragraph = '';
      }
      paragraph += line;
      continue;
    }
    yield* partsOfParagraph(paragraph);
    paragraph = '';
    isInParagraph = false;
    yield { text: line, isCode: !isBlank || fence !== undefined };
    if (fence === undefined) fence = found;
    else if (inner.startsWith(fence) && isFilledWith(inner, fence.charAt(0))) fence = undefined;
  }
  yield* partsOfParagraph(paragraph);
}

/** Yields the lines of a text with their ends, and blank lines that follow each other as one. */
function* linesOf(text: string): Generator<string> {
  const blank = /\s*\n/y;
  for (let start = 0; start < text.length;) {
    blank.lastIndex = start;
    const end = blank.test(text) ? blank.lastIndex : text.indexOf('\n', start) + 1 || text.length;
    yield text.slice(start, end);
    start = end;
  }
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

/** Yields a paragraph, with the spans between backticks as code. */
function* partsOfParagraph(text: string): Generator<TextPart> {
  for (const piece of piecesOf(text, SPACES)) yield* spansOf(piece);
}

function* spansOf(text: string): Generator<TextPart> {
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
    yield { text: text.slice(at, start), isCode: false };
    at = end + length;
    yield { text: text.slice(start, at), isCode: true };
  }
  yield { text: text.slice(at), isCode: false };
}
