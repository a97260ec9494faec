/** Formatting of a text in the editor's document. */
export interface EditorMark {
  type: 'bold' | 'italic' | 'strike' | 'code' | 'link';
  attrs?: { href: string };
}

/** A node of the editor's document, in ProseMirror's format. */
export interface EditorNode {
  type: string;
  attrs?: Readonly<Record<string, string | number | boolean | null>>;
  content?: EditorNode[];
  marks?: EditorMark[];
  text?: string;
}

/** Nodes whose children are on one line. */
const LINES: ReadonlySet<string> = new Set(['paragraph', 'heading', 'codeBlock']);

/** Returns a document's text without formatting: one line per paragraph, and the cells of a table row separated by tabs. */
export function plainText(node: EditorNode): string {
  if (node.text !== undefined) return node.text;
  if (node.type === 'hardBreak') return '\n';
  if (node.type === 'image') return String(node.attrs?.alt ?? '');
  const separator = LINES.has(node.type) ? '' : node.type === 'tableRow' ? '\t' : '\n';
  return (node.content ?? []).map(plainText).join(separator);
}
