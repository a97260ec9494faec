import { type EditorMark, type EditorNode } from './editor-node';
import { type NodeBudget } from './node-budget';
import { type Pace } from './pace';

type Delimited = 'bold' | 'italic' | 'strike';

/** A delimiter that formats the following text if it is closed, and is plain text otherwise. */
interface Delimiter {
  raw: string;
  mark: Delimited;
  /** True for an opening delimiter, false for a closing one; undefined while it is not closed. */
  starts?: boolean;
}

type Token = string | EditorNode[] | Delimiter;

/** Characters that can start something other than plain text. */
const SPECIAL = /[\\`*_~[!<\n]|https?:\/\//g;
const ESCAPED = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
// No pattern reads past the next character that can start another match, so that texts with many starts take no longer than others.
const LINK = /\[([^[\]\n]{1,1000})\]\(([^\s()<>]{1,2000})(?:[ \t]{1,9}"([^"\n]{0,255})")?\)/y;
const IMAGE = /!\[([^[\]\n]{0,1000})\]\(([^\s()<>]{1,2000})(?:[ \t]{1,9}"([^"\n]{0,255})")?\)/y;
const ADDRESS = /https?:\/\/[^\s<>"'`()[\]]{1,2000}/y;
const ENCLOSED_ADDRESS = /<(https?:\/\/[^\s<>]{1,2000})>/y;
/** Addresses that a browser may follow; others, such as `javascript:`, stay plain text. */
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|[/#?.]|[^:]*$)/i;
const END_OF_SENTENCE = '.,;:!?*_~';

/** Parses the text and formatting of one paragraph in linear time; yields periodically. */
export function* parseInline(
  text: string,
  budget: NodeBudget,
  pace: Pace,
  withLinks = true,
): Generator<void, EditorNode[]> {
  const reader = new InlineReader(text, budget, pace, withLinks);
  while (yield* reader.step()) if (pace.isDue()) yield;
  return reader.nodes();
}

class InlineReader {
  private readonly tokens: Token[] = [];
  private readonly open = new Map<Delimited, Delimiter>();
  private readonly special = new RegExp(SPECIAL);
  private position = 0;
  /** Start positions of the runs of backquotes, by run length; each list is consumed in ascending order. */
  private backquotes?: Map<number, number[]>;

  constructor(
    private readonly text: string,
    private readonly budget: NodeBudget,
    private readonly pace: Pace,
    private readonly withLinks: boolean,
  ) {}

  /** Reads up to the end of the next potential special token; returns whether there is more. */
  *step(): Generator<void, boolean> {
    this.special.lastIndex = this.position;
    const found = this.special.exec(this.text);
    if (!found) {
      this.addText(this.text.length);
      return false;
    }
    this.addText(found.index);
    switch (found[0]) {
      case '\n':
        this.add([this.budget.node({ type: 'hardBreak' })], 1);
        break;
      case '\\':
        this.readEscape();
        break;
      case '`':
        this.readCode();
        break;
      case '[':
        yield* this.readLink();
        break;
      case '!':
        this.readImage();
        break;
      case '<':
        this.readAddress(ENCLOSED_ADDRESS);
        break;
      case '*':
      case '_':
      case '~':
        this.readDelimiter(found[0]);
        break;
      default:
        this.readAddress(ADDRESS);
    }
    return this.position < this.text.length;
  }

  /** Returns the nodes of everything read. */
  nodes(): EditorNode[] {
    const nodes: EditorNode[] = [];
    const active = new Set<Delimited>();
    let text = '';
    const flush = (): void => {
      if (text !== '') nodes.push(this.budget.node({ type: 'text', ...marksOf(active), text }));
      text = '';
    };
    for (const token of this.tokens) {
      if (typeof token === 'string') text += token;
      else if (Array.isArray(token)) {
        flush();
        for (const node of token) nodes.push(withMarks(node, active));
      } else if (token.starts === undefined) text += token.raw;
      else {
        flush();
        if (token.starts) active.add(token.mark);
        else active.delete(token.mark);
      }
    }
    flush();
    return nodes;
  }

  private addText(end: number): void {
    if (end > this.position) this.tokens.push(this.text.slice(this.position, end));
    this.position = end;
  }

  private add(token: Token, length: number): void {
    this.tokens.push(token);
    this.position += length;
  }

  private readEscape(): void {
    const next = this.text.charAt(this.position + 1);
    if (next === '\n') this.add([this.budget.node({ type: 'hardBreak' })], 2);
    else if (ESCAPED.test(next)) this.add(next, 2);
    else this.add('\\', 1);
  }

  private readCode(): void {
    const length = this.runAt('`');
    const start = this.position + length;
    const ends = (this.backquotes ??= runsOfBackquotes(this.text)).get(length) ?? [];
    while (ends.length > 0 && (ends.at(-1) as number) < start) ends.pop();
    const end = ends.at(-1);
    if (end === undefined) {
      this.add('`'.repeat(length), length);
      return;
    }
    const text = this.text.slice(start, end).replaceAll('\n', ' ');
    const node = this.budget.node({ type: 'text', marks: [{ type: 'code' }], text });
    this.add([node], end + length - this.position);
  }

  private *readLink(): Generator<void, void> {
    const [all, label = '', href = ''] = (this.withLinks ? this.match(LINK) : null) ?? [];
    if (all === undefined || !SAFE_ADDRESS.test(href)) {
      this.add('[', 1);
      return;
    }
    const inside = yield* parseInline(label, this.budget, this.pace, false);
    this.add(
      inside.map((node) => (node.text === undefined ? node : withLink(node, href))),
      all.length,
    );
  }

  private readImage(): void {
    const [all, alt = '', src = '', title] = this.match(IMAGE) ?? [];
    if (all === undefined || !SAFE_ADDRESS.test(src)) this.add('!', 1);
    else {
      const attrs = { src, alt, title: title ?? null };
      this.add([this.budget.node({ type: 'image', attrs })], all.length);
    }
  }

  private readAddress(pattern: RegExp): void {
    const [all, enclosed] = this.match(pattern) ?? [];
    if (all === undefined) {
      this.add(this.text.charAt(this.position), 1);
      return;
    }
    let end = (enclosed ?? all).length;
    if (enclosed === undefined) while (END_OF_SENTENCE.includes(all.charAt(end - 1))) end--;
    const href = (enclosed ?? all).slice(0, end);
    const length = enclosed === undefined ? end : all.length;
    if (this.withLinks) {
      this.add([withLink(this.budget.node({ type: 'text', text: href }), href)], length);
    } else this.add(href, length);
  }

  private readDelimiter(character: string): void {
    const length = this.runAt(character);
    const raw = character.repeat(length);
    const marks = delimitedBy(character, length);
    const before = this.position === 0 ? ' ' : this.text.charAt(this.position - 1);
    const after = this.text.charAt(this.position + length) || ' ';
    const isInWord = character === '_' && WORD.test(before) && WORD.test(after);
    this.position += length;
    if (marks.length === 0 || isInWord) this.tokens.push(raw);
    else if (before.trim() !== '' && marks.every((mark) => this.open.get(mark)?.raw.startsWith(character)))
      this.close(marks);
    else if (after.trim() !== '' && marks.every((mark) => !this.open.has(mark))) this.begin(marks, character);
    else this.tokens.push(raw);
  }

  private begin(marks: readonly Delimited[], character: string): void {
    for (const mark of marks) {
      const delimiter: Delimiter = { raw: character.repeat(mark === 'italic' ? 1 : 2), mark };
      this.open.set(mark, delimiter);
      this.tokens.push(delimiter);
    }
  }

  private close(marks: readonly Delimited[]): void {
    for (const mark of marks) {
      (this.open.get(mark) as Delimiter).starts = true;
      this.open.delete(mark);
      this.tokens.push({ raw: '', mark, starts: false });
    }
  }

  private runAt(character: string): number {
    let end = this.position;
    while (this.text.charAt(end) === character) end++;
    return end - this.position;
  }

  private match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    return pattern.exec(this.text);
  }
}

function delimitedBy(character: string, length: number): Delimited[] {
  if (character === '~') return length === 2 ? ['strike'] : [];
  return ([[], ['italic'], ['bold'], ['bold', 'italic']] as const)[length]?.slice() ?? [];
}

/** Returns the start positions of the runs of backquotes by run length, last first. */
function runsOfBackquotes(text: string): Map<number, number[]> {
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of text.matchAll(/`+/g)) {
    const starts = runs.get(run.length);
    if (starts) starts.push(index);
    else runs.set(run.length, [index]);
  }
  for (const starts of runs.values()) starts.reverse();
  return runs;
}

const marksOf = (active: ReadonlySet<Delimited>): { marks?: EditorMark[] } =>
  active.size === 0 ? {} : { marks: [...active].map((type) => ({ type })) };

const withMarks = (node: EditorNode, active: ReadonlySet<Delimited>): EditorNode =>
  node.text === undefined || active.size === 0
    ? node
    : { ...node, marks: [...(marksOf(active).marks ?? []), ...(node.marks ?? [])] };

const withLink = (node: EditorNode, href: string): EditorNode => ({
  ...node,
  marks: [...(node.marks ?? []), { type: 'link', attrs: { href } }],
});
