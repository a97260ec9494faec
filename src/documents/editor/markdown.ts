import { type EditorNode } from './editor-node';
import { parseInline } from './inline';
import { type NodeBudget } from './node-budget';
import { Pace } from './pace';

/** Maximum nesting depth of quotes and lists; deeper ones are plain text. */
const MAX_NESTING = 8;
const MAX_COLUMNS = 50;

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}(#{1,6})(?=[ \t]|$)/;
const QUOTE = /^ {0,3}> ?/;
const LIST_ITEM = /^( {0,3})([-*+]|(\d{1,9})[.)])(?: {1,4}|$)/;
const DELIMITER_ROW = /^[-:| \t]+$/;

/**
 * Parses Markdown into the editor's document: paragraphs, headings, lists, quotes, code, tables, rules and text formatting. Keeps line
 * breaks and treats HTML as text. Takes linear time for any input, and yields periodically so that the caller can release the event loop.
 * @throws TooManyNodesError when the text exceeds the budget
 */
export function* parseMarkdown(markdown: string, budget: NodeBudget): Generator<void, EditorNode> {
  const lines = markdown.split(/\r\n|\r|\n/).map(withSpaces);
  const content = yield* new BlockReader(lines, budget, new Pace(), 0).read();
  return { type: 'doc', content: content.length > 0 ? content : [{ type: 'paragraph' }] };
}

class BlockReader {
  private index = 0;
  private readonly blocks: EditorNode[] = [];

  constructor(
    private readonly lines: readonly string[],
    private readonly budget: NodeBudget,
    private readonly pace: Pace,
    private readonly nesting: number,
  ) {}

  *read(): Generator<void, EditorNode[]> {
    while (this.index < this.lines.length) {
      if (this.pace.isDue()) yield;
      const line = this.line();
      if (line.trim() === '') this.index++;
      else if (FENCE.test(line) && isFence(line)) yield* this.readCode(line);
      else if (HEADING.test(line)) yield* this.readHeading(line);
      else if (isRule(line)) this.take({ type: 'horizontalRule' });
      else if (this.canNest && QUOTE.test(line)) yield* this.readQuote();
      else if (this.canNest && LIST_ITEM.test(line)) yield* this.readList();
      else if (this.isTable()) yield* this.readTable();
      else yield* this.readParagraph();
    }
    return this.blocks;
  }

  private get canNest(): boolean {
    return this.nesting < MAX_NESTING;
  }

  private line(offset = 0): string {
    return this.lines[this.index + offset] ?? '';
  }

  private hasLine(): boolean {
    return this.index < this.lines.length;
  }

  /** Adds the current line as a block. */
  private take(node: EditorNode): void {
    this.add(node);
    this.index++;
  }

  private add(node: EditorNode): void {
    this.blocks.push(this.budget.node(node));
  }

  private *readCode(first: string): Generator<void, void> {
    const fence = FENCE.exec(first)?.[1] ?? '';
    const language = first.trim().slice(fence.length).trim().split(/\s/, 1)[0] ?? '';
    const code: string[] = [];
    for (this.index++; this.hasLine() && !ends(this.line(), fence); this.index++) {
      if (this.pace.isDue()) yield;
      code.push(this.line());
    }
    this.index++;
    const text = code.join('\n');
    this.add({
      type: 'codeBlock',
      attrs: { language: language.slice(0, 50) || null },
      ...(text !== '' && { content: [this.budget.node({ type: 'text', text })] }),
    });
  }

  private *readHeading(line: string): Generator<void, void> {
    const marker = HEADING.exec(line)?.[1] ?? '';
    const text = withoutClosingMarks(line.trim().slice(marker.length));
    const content = yield* this.inline(text);
    this.take({ type: 'heading', attrs: { level: marker.length }, ...content });
  }

  private *readQuote(): Generator<void, void> {
    const lines: string[] = [];
    for (; QUOTE.test(this.line()); this.index++) {
      if (this.pace.isDue()) yield;
      lines.push(this.line().replace(QUOTE, ''));
    }
    this.add({ type: 'blockquote', content: yield* this.nested(lines) });
  }

  private *readList(): Generator<void, void> {
    const [, , marker = '', number] = LIST_ITEM.exec(this.line()) ?? [];
    const kind = marker.slice(-1);
    const items: EditorNode[] = [];
    const list = { content: items };
    if (number === undefined) this.add({ type: 'bulletList', ...list });
    else this.add({ type: 'orderedList', attrs: { start: Number(number) }, ...list });
    for (let item; (item = LIST_ITEM.exec(this.line())) && item[2]?.endsWith(kind) && !isRule(this.line());) {
      if (this.pace.isDue()) yield;
      const lines = yield* this.linesOfItem(item);
      items.push(this.budget.node({ type: 'listItem', content: yield* this.nested(lines) }));
    }
  }

  /** Reads the lines of the item that starts at the current line, including the indented lines that follow. */
  private *linesOfItem([marker = '', space = '']: RegExpExecArray): Generator<void, string[]> {
    const lines = [this.line().slice(marker.length)];
    let blank = 0;
    for (this.index++; this.hasLine(); this.index++) {
      if (this.pace.isDue()) yield;
      const line = this.line();
      const indent = line.length - line.trimStart().length;
      if (line.trim() === '') blank++;
      else if (indent < space.length + 2) break;
      else {
        for (; blank > 0; blank--) lines.push('');
        lines.push(line.slice(Math.min(indent, marker.length)));
      }
    }
    return lines;
  }

  private isTable(): boolean {
    const [header, delimiter] = [this.line(), this.line(1)];
    if (!header.includes('|') || !delimiter.includes('-') || !DELIMITER_ROW.test(delimiter)) return false;
    const columns = cellsOf(delimiter).length;
    return columns <= MAX_COLUMNS && cellsOf(header).length === columns;
  }

  private *readTable(): Generator<void, void> {
    const header = cellsOf(this.line());
    const rows = [yield* this.row('tableHeader', header, header.length)];
    for (this.index += 2; this.line().includes('|'); this.index++) {
      if (this.pace.isDue()) yield;
      rows.push(yield* this.row('tableCell', cellsOf(this.line()), header.length));
    }
    this.add({ type: 'table', content: rows });
  }

  private *row(type: string, cells: readonly string[], columns: number): Generator<void, EditorNode> {
    const row = this.budget.node({ type: 'tableRow', content: [] });
    for (let column = 0; column < columns; column++) {
      if (this.pace.isDue()) yield;
      const content = yield* this.inline(cells[column] ?? '');
      const paragraph = this.budget.node({ type: 'paragraph', ...content });
      row.content?.push(this.budget.node({ type, content: [paragraph] }));
    }
    return row;
  }

  private *readParagraph(): Generator<void, void> {
    const lines = [this.line().trim()];
    for (this.index++; this.hasLine() && !this.endsParagraph(this.line()); this.index++) {
      if (this.pace.isDue()) yield;
      lines.push(this.line().trim());
    }
    this.add({ type: 'paragraph', ...(yield* this.inline(lines.join('\n'))) });
  }

  private endsParagraph(line: string): boolean {
    return (
      line.trim() === '' ||
      isFence(line) ||
      HEADING.test(line) ||
      isRule(line) ||
      (this.canNest && (QUOTE.test(line) || LIST_ITEM.test(line)))
    );
  }

  private *nested(lines: readonly string[]): Generator<void, EditorNode[]> {
    const blocks = yield* new BlockReader(lines, this.budget, this.pace, this.nesting + 1).read();
    return blocks.length > 0 ? blocks : [this.budget.node({ type: 'paragraph' })];
  }

  /** Omits empty texts, which the editor does not have. */
  private *inline(text: string): Generator<void, { content?: EditorNode[] }> {
    const content = yield* parseInline(text.trim(), this.budget, this.pace);
    return content.length > 0 ? { content } : {};
  }
}

const withSpaces = (line: string): string =>
  line.startsWith('\t') ? line.replace(/^\t{1,9}/, (tabs) => '    '.repeat(tabs.length)) : line;

function isFence(line: string): boolean {
  const fence = FENCE.exec(line)?.[1];
  return fence !== undefined && !(fence.startsWith('`') && line.trim().slice(fence.length).includes('`'));
}

function ends(line: string, fence: string): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.charAt(0).repeat(text.length);
}

function isRule(line: string): boolean {
  const text = line.trim();
  const mark = text.charAt(0);
  if (mark === '' || !'-*_'.includes(mark)) return false;
  let count = 0;
  for (const character of text) {
    if (character === mark) count++;
    else if (character !== ' ' && character !== '\t') return false;
  }
  return count >= 3;
}

/** Removes closing marks: `# Title #` is the heading Title. */
function withoutClosingMarks(text: string): string {
  const trimmed = text.trim();
  let end = trimmed.length;
  while (end > 0 && trimmed.charAt(end - 1) === '#') end--;
  return end === 0 || /\s/.test(trimmed.charAt(end - 1)) ? trimmed.slice(0, end).trim() : trimmed;
}

/** Splits a table row into cells at unescaped bars. */
function cellsOf(line: string): string[] {
  const row = line.trim();
  const cells: string[] = [];
  let start = row.startsWith('|') ? 1 : 0;
  for (let bar = row.indexOf('|', start); bar >= 0; bar = row.indexOf('|', bar + 1)) {
    if (row.charAt(bar - 1) === '\\') continue;
    cells.push(row.slice(start, bar));
    start = bar + 1;
  }
  if (start < row.length) cells.push(row.slice(start));
  return cells.map((cell) => cell.replaceAll('\\|', '|'));
}
