import type MarkdownIt from 'markdown-it';
import { type EditorMark, type EditorNode } from './editor-node';

type Token = MarkdownIt.Token;

/** Nodes of the tokens that open a block. Other such tokens, like `tbody_open`, have none. */
const BLOCKS: Readonly<Record<string, (token: Token) => EditorNode>> = {
  paragraph_open: () => ({ type: 'paragraph' }),
  heading_open: ({ tag }) => ({ type: 'heading', attrs: { level: Number(tag.slice(1)) } }),
  blockquote_open: () => ({ type: 'blockquote' }),
  bullet_list_open: () => ({ type: 'bulletList' }),
  ordered_list_open: (token) => ({
    type: 'orderedList',
    attrs: { start: Number(token.attrGet('start') ?? 1) },
  }),
  list_item_open: () => ({ type: 'listItem' }),
  table_open: () => ({ type: 'table' }),
  tr_open: () => ({ type: 'tableRow' }),
  th_open: () => ({ type: 'tableHeader' }),
  td_open: () => ({ type: 'tableCell' }),
};
/** Blocks that contain at least one block. */
const CONTAINERS: ReadonlySet<string> = new Set(['blockquote', 'listItem']);
const CELLS: ReadonlySet<string> = new Set(['tableHeader', 'tableCell']);

type Format = 'bold' | 'italic' | 'strike';
const FORMATS: Readonly<Record<string, Format>> = { strong: 'bold', em: 'italic', s: 'strike' };

/** Minimum length of a node's JSON. */
const NODE_LENGTH = 20;
const MAX_LANGUAGE = 50;
const TASK = /^\[([ xX])\][ \t]+/;

/** Builds the nodes of the editor's document from markdown-it's tokens. */
export class EditorNodes {
  /** Lower bound of the length of the JSON. A link's address can occur in it thousands of times. */
  private length = 0;

  constructor(
    private readonly parser: MarkdownIt.MarkdownIt,
    private readonly maxLength: number,
  ) {}

  /** @returns undefined when their JSON would be longer than permitted */
  build(tokens: readonly Token[]): EditorNode[] | undefined {
    const document: EditorNode = { type: 'doc' };
    const open: EditorNode[] = [document];
    for (const token of tokens) {
      const parent = open.at(-1) as EditorNode;
      if (token.type === 'inline') this.addInline(open, token);
      else if (token.nesting === 0) this.add(parent, this.leafOf(token));
      else {
        const node = BLOCKS[token.type.replace('_close', '_open')]?.(token);
        if (node && token.nesting === 1) open.push(this.add(parent, node));
        else if (node) this.close(open);
      }
      if (this.length > this.maxLength) return undefined;
    }
    return document.content ?? [{ type: 'paragraph' }];
  }

  private add(parent: EditorNode, node: EditorNode, length = 0): EditorNode {
    this.length += NODE_LENGTH + length;
    (parent.content ??= []).push(node);
    return node;
  }

  private close(open: EditorNode[]): void {
    const node = open.pop() as EditorNode;
    if (CONTAINERS.has(node.type) && !node.content) this.add(node, { type: 'paragraph' });
    if (node.type === 'bulletList') open.at(-1)?.content?.splice(-1, 1, ...withTaskLists(node));
  }

  private leafOf({ type, info, content }: Token): EditorNode {
    if (type === 'hr') return { type: 'horizontalRule' };
    const [language] = /\S+/.exec(this.parser.utils.unescapeAll(info)) ?? [null];
    const code: EditorNode = {
      type: 'codeBlock',
      attrs: { language: language?.slice(0, MAX_LANGUAGE) ?? null },
    };
    const text = content.replace(/\n$/, '');
    // The editor has no empty texts.
    if (text !== '') this.add(code, { type: 'text', text }, text.length);
    return code;
  }

  private addInline(open: readonly EditorNode[], { content, children }: Token): void {
    const tokens = children ?? [];
    const parent = open.at(-1) as EditorNode;
    const [list, item] = open.slice(-3);
    if (list?.type === 'bulletList' && item?.content?.length === 1) noteTask(item, content, tokens[0]);
    this.addTexts(CELLS.has(parent.type) ? this.add(parent, { type: 'paragraph' }) : parent, tokens);
  }

  private addTexts(parent: EditorNode, tokens: readonly Token[]): void {
    const formats = new Map<Format, number>();
    let href: string | undefined;
    const marksOf = (code: EditorMark[] = []): { marks?: EditorMark[] } => {
      const marks: EditorMark[] = Array.from(formats.keys(), (type) => ({ type }));
      marks.push(...code);
      if (href !== undefined) marks.push({ type: 'link', attrs: { href } });
      return marks.length > 0 ? { marks } : {};
    };
    for (const token of tokens) {
      const { type, content, nesting } = token;
      const linkLength = href?.length ?? 0;
      const format = FORMATS[type.replace(/_(open|close)$/, '')];
      if (format) count(formats, format, nesting);
      else if (type === 'link_open') href = attributeOf(token, 'href');
      else if (type === 'link_close') href = undefined;
      else if (type === 'image') {
        const attrs = this.imageOf(token);
        const link = href === undefined ? {} : { marks: [{ type: 'link', attrs: { href } } as const] };
        const length = attrs.src.length + attrs.alt.length + (attrs.title?.length ?? 0) + linkLength;
        this.add(parent, { type, attrs, ...link }, length);
      } else if (type === 'softbreak' || type === 'hardbreak') this.add(parent, { type: 'hardBreak' });
      else if (content !== '') {
        const marks = marksOf(type === 'code_inline' ? [{ type: 'code' }] : []);
        this.add(parent, { type: 'text', ...marks, text: content }, content.length + linkLength);
      }
    }
  }

  private imageOf(token: Token): { src: string; alt: string; title: string | null } {
    const { renderer, options } = this.parser;
    const title = token.attrGet('title');
    return {
      src: attributeOf(token, 'src'),
      alt: renderer.renderInlineAsText(token.children ?? [], options, undefined),
      title: title === null ? null : String(title),
    };
  }
}

const attributeOf = (token: Token, name: string): string => String(token.attrGet(name) ?? '');

/** Counts how often a text is in a format, which nests in itself in Markdown, but not in the editor. */
function count(formats: Map<Format, number>, format: Format, change: number): void {
  const nesting = (formats.get(format) ?? 0) + change;
  if (nesting > 0) formats.set(format, nesting);
  else formats.delete(format);
}

/** Makes a list item a task if its text begins with a box, which is not escaped in the Markdown. */
function noteTask(item: EditorNode, markdown: string, first: Token | undefined): void {
  const box = TASK.test(markdown) && first?.type === 'text' ? TASK.exec(first.content) : null;
  if (!box || !first) return;
  item.type = 'taskItem';
  item.attrs = { checked: box[1] !== ' ' };
  first.content = first.content.slice(box[0].length);
}

/** Splits a list into lists of tasks and of other items, which the editor does not mix. */
function withTaskLists({ content = [] }: EditorNode): EditorNode[] {
  const lists: EditorNode[] = [];
  for (const item of content) {
    const type = item.type === 'taskItem' ? 'taskList' : 'bulletList';
    const last = lists.at(-1);
    if (last?.type === type) last.content?.push(item);
    else lists.push({ type, content: [item] });
  }
  return lists;
}
