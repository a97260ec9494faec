/**
 * Converts texts in Jira's markup to Markdown, in time proportional to the text: headings, lists, quotes, code, tables, links and emphasis.
 * What it does not know stays as it is. Tags of HTML, which Jira shows as text, are escaped.
 */
export function toMarkdown(text: string): string {
  const fence = fenceFor(text);
  if (fence === undefined) return text;
  const output = new Output();
  // Every second piece is a mark.
  const pieces = text.split(CODE_MARK);
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as string;
    if (at % 2 === 0) {
      const inside = piece
        .replace(at > 0 ? /^[ \t]*\n/ : '', '')
        .replace(at < pieces.length - 1 ? /\n[ \t]*$/ : '', '');
      if (pieces.length === 1 || inside.trim() !== '') output.addText(inside);
      continue;
    }
    const end = piece.startsWith('{code') ? '{code}' : '{noformat}';
    const found = pieces.indexOf(end, at + 1);
    // Code that does not end takes the rest.
    const next = found === -1 ? pieces.length : found;
    const code = pieces
      .slice(at + 1, next)
      .join('')
      .replace(/^[ \t]*\n|\n[ \t]*$/g, '');
    output.addLines([`${fence}${languageOf(piece)}`, ...code.split('\n'), fence]);
    at = next;
  }
  return output.text;
}

const CODE_MARK = /(\{(?:code|noformat)(?::[^}\n]{0,200})?\})/;
const QUOTE = '{quote}';
const MAX_FENCE = 12;
const LANGUAGE = /^[A-Za-z][\w+#-]{0,19}$/;

type LineKind = 'text' | 'list' | 'table';

/** The lines of a converted text. */
class Output {
  private readonly lines: string[] = [];
  private isQuote = false;
  private before: LineKind = 'text';

  get text(): string {
    return this.lines.join('\n');
  }

  /** Adds lines that are not converted. */
  addLines(lines: readonly string[]): void {
    for (const line of lines) this.lines.push(this.isQuote ? `> ${line}`.trimEnd() : line);
    this.before = 'text';
  }

  /** Adds lines of text. */
  addText(text: string): void {
    for (const line of text.split('\n')) {
      const single = /^\s*bq\.\s+/.exec(line);
      if (single) {
        this.lines.push(`> ${inline(line.slice(single[0].length))}`, '');
        this.before = 'text';
        continue;
      }
      const parts = line.split(QUOTE);
      for (const [index, part] of parts.entries()) {
        if (index > 0) this.turnQuote();
        if (parts.length === 1 || part.trim() !== '') this.addPart(part);
      }
    }
  }

  /** Begins or ends a quote. Markdown would continue it without an empty line. */
  private turnQuote(): void {
    if (this.isQuote) this.lines.push('');
    this.isQuote = !this.isQuote;
    this.before = 'text';
  }

  private addPart(line: string): void {
    const { kind, text } = convertLine(line, this.before);
    const lines = text.split('\n');
    // Markdown would take the text for a part of the last item or row.
    if (kind === 'text' && this.before !== 'text' && line.trim() !== '') lines.unshift('');
    this.addLines(lines);
    this.before = kind;
  }
}

/** Returns the language of a block: the first option without a name, or that with the name `language`. */
function languageOf(mark: string): string {
  const options = mark.slice(0, -1).split(':').slice(1).join(':');
  for (const option of options.split('|')) {
    const language = option.replace(/^language=/, '').trim();
    if (LANGUAGE.test(language)) return language.toLowerCase();
  }
  return '';
}

/** Returns a mark for code that the text does not have; undefined if it would be long. */
function fenceFor(text: string): string | undefined {
  for (const [mark, runs] of [
    ['`', /`+/g],
    ['~', /~+/g],
  ] as const) {
    let longest = 2;
    for (const [run] of text.matchAll(runs)) longest = Math.max(longest, run.length);
    if (longest < MAX_FENCE) return mark.repeat(longest + 1);
  }
  return undefined;
}

function convertLine(line: string, before: LineKind): { kind: LineKind; text: string } {
  const heading = /^\s*h([1-6])\.\s+(.*)$/.exec(line);
  if (heading) return { kind: 'text', text: `${'#'.repeat(Number(heading[1]))} ${inline(heading[2] ?? '')}` };
  const item = /^\s*([*#]{1,6}|-)\s+(.*)$/.exec(line);
  if (item) {
    const [, marks = '', text = ''] = item;
    const indent = [...marks.slice(0, -1)].map((mark) => (mark === '#' ? '   ' : '  ')).join('');
    return { kind: 'list', text: `${indent}${marks.endsWith('#') ? '1.' : '-'} ${inline(text)}` };
  }
  if (/^\s*-{4,5}\s*$/.test(line)) return { kind: 'text', text: '---' };
  const trimmed = line.trim();
  if (trimmed.startsWith('|') && trimmed.length > 1)
    return { kind: 'table', text: tableRow(trimmed, before) };
  return { kind: 'text', text: inline(line) };
}

/** Converts a row of a table. The first needs a header in Markdown. */
function tableRow(line: string, before: LineKind): string {
  const isHeader = line.startsWith('||');
  const cells = cellsOf(line, isHeader ? '||' : '|');
  const row = `| ${cells.map((cell) => inline(cell).trim()).join(' | ')} |`;
  if (before === 'table') return row;
  const rule = `|${' --- |'.repeat(cells.length)}`;
  return isHeader ? `${row}\n${rule}` : `|${'  |'.repeat(cells.length)}\n${rule}\n${row}`;
}

/** Splits a row; a bar within a link separates no cells. */
function cellsOf(line: string, mark: string): string[] {
  const cells: string[] = [];
  let cell = '';
  let isLink = false;
  const end = line.endsWith(mark) ? line.length - mark.length : line.length;
  const lastLink = line.lastIndexOf(']');
  for (let at = mark.length; at < end; at++) {
    const character = line[at] as string;
    if (character === '[') isLink = at < lastLink;
    else if (character === ']') isLink = false;
    if (!isLink && line.startsWith(mark, at)) {
      cells.push(cell);
      cell = '';
      at += mark.length - 1;
    } else cell += character;
  }
  return [...cells, cell];
}

/** Code, mentions, links, pictures, marks without a counterpart, emphasis, and tags. */
const INLINE = new RegExp(
  [
    /\{\{(?<code>[^{}\n]{1,2000})\}\}/,
    /\[~(?:accountid:)?(?<user>[^\]\n]{1,200})\]/,
    /\[(?<text>[^[\]|\n]{1,2000})\|(?<url>(?:https?:\/\/|mailto:|ftp:\/\/)[^[\]|\s]{1,2000})(?:\|[^[\]\n]{0,200})?\]/,
    /\[(?<address>https?:\/\/[^[\]|\s]{1,2000})\]/,
    /!(?<picture>[^!|\s][^!|\n]{0,255}\.(?:png|jpe?g|gif|svg|webp|bmp))(?:\|[^!\n]{0,500})?!/,
    /\{(?:color|panel|anchor)(?::[^}\n]{0,200})?\}/,
    /(?<=^|[\s(])\*(?<strong>[^\s*](?:[^*\n]{0,2000}[^\s*])?)\*(?=$|[\s).,:;!?])/,
    /(?<=^|[\s(])-(?<deleted>[^\s-](?:[^-\n]{0,2000}[^\s-])?)-(?=$|[\s).,:;!?])/,
    /(?<=^|[\s(])\+(?<inserted>[^\s+](?:[^+\n]{0,2000}[^\s+])?)\+(?=$|[\s).,:;!?])/,
    /<(?=[A-Za-z/!?])/,
  ]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'g',
);

function inline(line: string): string {
  return line.replace(INLINE, (found: string, ...rest: unknown[]) => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    if (groups.code !== undefined) return groups.code.includes('`') ? found : `\`${groups.code}\``;
    if (groups.user !== undefined) return `@${groups.user}`;
    if (groups.url !== undefined)
      return `[${groups.text}](<${groups.url.replace(/[<>]/g, encodeURIComponent)}>)`;
    if (groups.address !== undefined) return `<${groups.address.replace(/[<>]/g, encodeURIComponent)}>`;
    if (groups.picture !== undefined) return `\`${groups.picture.replace(/`/g, '')}\``;
    if (groups.strong !== undefined) return `**${inline(groups.strong)}**`;
    if (groups.deleted !== undefined) return `~~${inline(groups.deleted)}~~`;
    if (groups.inserted !== undefined) return inline(groups.inserted);
    if (found === '<') return '\\<';
    return '';
  });
}
