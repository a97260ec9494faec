import { type EditorMark, type EditorNode } from '../../documents/editor/editor-node';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** Elements of the nodes without attributes. Other nodes only show their content. */
const ELEMENTS: Readonly<Record<string, string>> = {
  paragraph: 'p',
  blockquote: 'blockquote',
  bulletList: 'ul',
  listItem: 'li',
  taskList: 'ul',
  tableRow: 'tr',
  tableHeader: 'th',
  tableCell: 'td',
};
/** Nodes whose children are texts and images. */
const LINES: ReadonlySet<string> = new Set(['paragraph', 'heading']);
/** Elements of formatting, the outermost last. */
const FORMATS: readonly (readonly [mark: EditorMark['type'], element: string])[] = [
  ['code', 'code'],
  ['strike', 's'],
  ['italic', 'em'],
  ['bold', 'strong'],
];
/** The title of a page, and the headings of its sections, are above all headings of texts. */
const OUTER_LEVELS = 2;
const MAX_LEVEL = 6;
/** Addresses that become links; others are only text. */
const LINKED_ADDRESS = /^(?:https?:\/\/|mailto:)/i;

/** Returns a text as HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

/** Returns a text without formatting as HTML; its line breaks are shown. */
export const plainHtml = (text: string): string => `<p class="plain">${escapeHtml(text)}</p>`;

/**
 * Returns an editor's document as HTML. It contains no images, because these would tell other servers who reads the page: they become links
 * like all other addresses.
 */
export function editorHtml(document: EditorNode): string {
  const parts: string[] = [];
  addNode(document, parts);
  return parts.join('');
}

function addNode(node: EditorNode, parts: string[]): void {
  const [start, end] = tagsOf(node);
  parts.push(start);
  if (LINES.has(node.type)) addLine(node.content ?? [], parts);
  else if (node.text !== undefined) parts.push(escapeHtml(node.text));
  else for (const child of node.content ?? []) addNode(child, parts);
  parts.push(end);
}

function tagsOf({ type, attrs = {} }: EditorNode): [start: string, end: string] {
  switch (type) {
    case 'heading': {
      const element = `h${Math.min(Number(attrs.level) + OUTER_LEVELS, MAX_LEVEL)}`;
      return [`<${element}>`, `</${element}>`];
    }
    case 'orderedList':
      return [`<ol start="${Number(attrs.start)}">`, '</ol>'];
    case 'taskItem':
      return [`<li class="task">${attrs.checked === true ? '☑' : '☐'} `, '</li>'];
    case 'table':
      return ['<div class="scrolls" tabindex="0"><table>', '</table></div>'];
    case 'codeBlock':
      return ['<pre><code>', '</code></pre>'];
    case 'horizontalRule':
      return ['<hr>', ''];
    default: {
      const element = ELEMENTS[type];
      return element === undefined ? ['', ''] : [`<${element}>`, `</${element}>`];
    }
  }
}

/** Neighbours with the same address become one link. */
function addLine(nodes: readonly EditorNode[], parts: string[]): void {
  let open: string | undefined;
  for (const node of nodes) {
    const address = addressOf(node);
    if (address !== open) {
      if (open !== undefined) parts.push('</a>');
      if (address !== undefined) parts.push(linkTo(address));
      open = address;
    }
    parts.push(inlineHtml(node));
  }
  if (open !== undefined) parts.push('</a>');
}

/** Returns the address that an image or text leads to, if it becomes a link. */
function addressOf({ type, attrs, marks }: EditorNode): string | undefined {
  const link = marks?.find((mark) => mark.type === 'link')?.attrs?.href;
  const address = link ?? (type === 'image' ? String(attrs?.src) : undefined);
  return address !== undefined && LINKED_ADDRESS.test(address) ? address : undefined;
}

const linkTo = (address: string): string =>
  `<a href="${escapeHtml(address)}" rel="noopener noreferrer nofollow">`;

function inlineHtml({ type, attrs, marks, text = '' }: EditorNode): string {
  if (type === 'hardBreak') return '<br>';
  if (type === 'image') return escapeHtml(attrs?.alt === '' ? String(attrs.src) : String(attrs?.alt));
  let html = escapeHtml(text);
  for (const [mark, element] of FORMATS) {
    if (marks?.some((one) => one.type === mark)) html = `<${element}>${html}</${element}>`;
  }
  return html;
}
