import { NodeHtmlMarkdown, type TranslatorConfigObject } from 'node-html-markdown';
import { MARKDOWN_GUARDS } from './guards';

const INDENT = ' '.repeat(4);
/** Matches nothing: the texts of elements are guarded instead of escaped. */
const NOTHING = [/(?!)/g, ''] as const;

/** What the service shows differently from the library: line breaks are those of the text, and tables need no aligned columns. */
const ELEMENTS: TranslatorConfigObject = {
  br: ({ tableMeta, indentLevel }) => ({
    content: tableMeta ? ' ' : `\n${INDENT.repeat(indentLevel === undefined ? 0 : indentLevel + 1)}`,
    recurse: false,
  }),
  li: ({ listKind, listItemNumber, indentLevel = 0 }) => ({
    prefix: `${INDENT.repeat(indentLevel)}${listKind === 'OL' ? `${listItemNumber}.` : '-'} `,
    surroundingNewlines: 1,
    postprocess: ({ content }) => content.trim(),
  }),
  table: { surroundingNewlines: 2, postprocess: ({ content }) => toTable(content) },
  tr: { surroundingNewlines: 0, prefix: '| ', postfix: '\n' },
  'td,th': { surroundingNewlines: 0, postfix: ' |', preserveIfEmpty: true },
};

const converter = new NodeHtmlMarkdown(
  {
    bulletMarker: '-',
    indent: INDENT,
    globalEscape: NOTHING,
    lineStartEscape: NOTHING,
    maxConsecutiveNewlines: 0,
    textReplace: [...MARKDOWN_GUARDS],
  },
  ELEMENTS,
);

/** Words in capitals, which Markdown does not mark; the time of the library grows with the square of the number of elements. */
const SPAN = /<\/?span[^<>]*>/g;

/** Returns HTML whose texts are guarded as Markdown. */
export const toMarkdown = (html: string): string => converter.translate(html.replace(SPAN, ''));

/** Returns a table; its first row is the head, which Markdown requires. */
function toTable(content: string): string {
  const [head = '', ...rows] = content
    .split('\n')
    .map((row) => row.replace(/\s+/g, ' ').trim())
    .filter((row) => row !== '');
  const columns = [head, ...rows].reduce((most, row) => Math.max(most, row.split('|').length - 2), 1);
  const missing = columns - (head.split('|').length - 2);
  return [`${head}${' |'.repeat(missing)}`, `|${' --- |'.repeat(columns)}`, ...rows].join('\n');
}
