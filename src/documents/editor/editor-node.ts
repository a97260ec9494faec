/** Formatting of a text in the editor's document. */
export interface EditorMark {
  type: 'bold' | 'italic' | 'strike' | 'code' | 'link';
  attrs?: { href: string };
}

/** A node of the editor's document, as ProseMirror writes it. */
export interface EditorNode {
  type: string;
  attrs?: Readonly<Record<string, string | number | null>>;
  content?: EditorNode[];
  marks?: EditorMark[];
  text?: string;
}

/** Nodes whose children stand on one line. */
const LINES: ReadonlySet<string> = new Set(['paragraph', 'heading', 'codeBlock']);

/** What a document says without its formatting: a line for each paragraph, and the cells of a table's row between tabs. */
export function plainText(node: EditorNode): string {
  if (node.text !== undefined) return node.text;
  if (node.type === 'hardBreak') return '\n';
  if (node.type === 'image') return String(node.attrs?.alt ?? '');
  const separator = LINES.has(node.type) ? '' : node.type === 'tableRow' ? '\t' : '\n';
  return (node.content ?? []).map(plainText).join(separator);
}
