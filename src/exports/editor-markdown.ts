import { type EditorMark, type EditorNode } from '../documents/editor/editor-node';
import { asText } from './markdown-text';

/** Deeper documents are written without formatting. */
const MAX_DEPTH = 60;

const MARKS: Readonly<Partial<Record<EditorMark['type'], string>>> = {
  bold: '**',
  italic: '*',
  strike: '~~',
};

/** Returns the editor's document as Markdown; the text without formatting if it cannot be read. */
export function editorMarkdown(json: string, plain: string): string {
  try {
    return blocksOf(JSON.parse(json) as EditorNode, 0);
  } catch {
    return plain;
  }
}

/** @throws RangeError for a document that is nested too deeply */
function blocksOf({ content = [] }: EditorNode, depth: number): string {
  if (depth > MAX_DEPTH) throw new RangeError('The document is nested too deeply');
  return content.map((node) => blockOf(node, depth)).join('\n\n');
}

function blockOf(node: EditorNode, depth: number): string {
  const { type, attrs = {}, content = [] } = node;
  switch (type) {
    case 'paragraph':
      return guarded(inlineOf(content));
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, Number(attrs.level) || 1)))} ${inlineOf(content).replaceAll('\\\n', ' ')}`;
    case 'blockquote':
      return prefixed(blocksOf(node, depth + 1), '> ', '> ');
    case 'bulletList':
      return content.map((item) => itemOf(item, '- ', depth)).join('\n');
    case 'taskList':
      return content.map((item) => itemOf(item, item.attrs?.checked ? '- [x] ' : '- [ ] ', depth)).join('\n');
    case 'orderedList': {
      const start = Number(attrs.start ?? 1) || 0;
      return content.map((item, index) => itemOf(item, `${start + index}. `, depth)).join('\n');
    }
    case 'codeBlock':
      return codeBlock(content.map(({ text = '' }) => text).join(''), String(attrs.language ?? ''));
    case 'horizontalRule':
      return '---';
    case 'table':
      return tableOf(content);
    default:
      return node.text === undefined && type !== 'image' ? blocksOf(node, depth + 1) : inlineOf([node]);
  }
}

/** An item's further lines are indented as far as its text. */
function itemOf(item: EditorNode, mark: string, depth: number): string {
  const indent = ' '.repeat(mark.startsWith('-') ? 2 : mark.length);
  return prefixed(blocksOf(item, depth + 1), mark, indent);
}

function prefixed(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, index) => ((index === 0 ? first : others) + line).trimEnd())
    .join('\n');
}

/** The first row is the heading, which every table in Markdown has. */
function tableOf(rows: readonly EditorNode[]): string {
  const lines = rows.map(({ content = [] }) => content.map(cellOf));
  const width = Math.max(1, ...lines.map((cells) => cells.length));
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: width }, (_, column) => cells[column] ?? '').join(' | ')} |`;
  const rule = line(Array.from({ length: width }, () => '---'));
  return [line(lines[0] ?? []), rule, ...lines.slice(1).map(line)].join('\n');
}

const cellOf = ({ content = [] }: EditorNode): string =>
  content
    .map(({ content: inline = [] }) => inlineOf(inline))
    .join(' ')
    .replaceAll('\\\n', ' ');

function codeBlock(text: string, language: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language.replace(/[`\s]/g, '')}\n${text}\n${fence}`;
}

const inlineOf = (nodes: readonly EditorNode[]): string => nodes.map(inlineNode).join('');

function inlineNode({ type, text, attrs = {}, marks = [], content = [] }: EditorNode): string {
  if (type === 'hardBreak') return '\\\n';
  if (type === 'image')
    return linked(`![${asText(String(attrs.alt ?? ''))}](${address(String(attrs.src ?? ''))})`, marks);
  if (text === undefined) return inlineOf(content);
  if (marks.some((mark) => mark.type === 'code')) return linked(codeSpan(text), marks);
  const inner = text.trim();
  if (inner === '') return text;
  // A mark does not begin or end with a space.
  const start = text.length - text.trimStart().length;
  const [before, after] = [text.slice(0, start), text.slice(start + inner.length)];
  const marked = marks.reduce((all, mark) => {
    const sign = MARKS[mark.type] ?? '';
    return sign + all + sign;
  }, escaped(inner));
  return before + linked(marked, marks) + after;
}

function linked(text: string, marks: readonly EditorMark[]): string {
  const href = marks.find(({ type }) => type === 'link')?.attrs?.href;
  return href === undefined ? text : `[${text}](${address(href)})`;
}

const address = (href: string): string =>
  `<${href.replace(/[<>\\]/g, (letter) => encodeURIComponent(letter)).replace(/\s/g, '%20')}>`;

function codeSpan(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const space = /^`|`$|^ .* $/s.test(text) ? ' ' : '';
  return fence + space + text.replace(/\s+/g, ' ') + space + fence;
}

const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>#|&~!]/g, '\\$&');

/** Keeps a paragraph from becoming a block of another kind. */
const guarded = (text: string): string =>
  text.replace(/^([ \t]*)([-+=]|\d{1,9}[.)])/gm, (_start, space: string, mark: string) =>
    /^\d/.test(mark) ? `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}` : `${space}\\${mark}`,
  );
