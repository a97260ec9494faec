import { type EditorNode } from '../../documents/editor/editor-node';
import { parseMarkdown } from '../../documents/editor/markdown';
import { editorHtml, plainHtml } from './editor-html';

/** A text of a page. */
export type SourceText =
  | { format: 'markdown' | 'plain'; text: string }
  /** An editor's document, as JSON and without formatting. */
  | { format: 'editor'; text: string; json: string };

/** Limits of the formatting of all texts of a page together. */
export interface FormattingLimits {
  /** Time after which no further text is formatted. */
  milliseconds: number;
  /** Length of the formatted HTML after which no further text is formatted. */
  length: number;
}

/** How many times longer than its Markdown a text may become, like a document; a short text may become as long as one of this length. */
const MAX_GROWTH = 10;
const MIN_LENGTH_OF_TEXT = 10_000;

/**
 * Returns the texts of a page as HTML, in order. Texts with too much formatting, and those after the limits, have their line breaks only.
 * Takes seconds for crafted texts.
 */
export function formatTexts(texts: readonly SourceText[], limits: FormattingLimits): string[] {
  const end = performance.now() + limits.milliseconds;
  let left = limits.length;
  return texts.map((source) => {
    const html = left > 0 && performance.now() < end ? formatted(source) : undefined;
    left -= html?.length ?? 0;
    return html ?? plainHtml(source.text);
  });
}

function formatted(source: SourceText): string | undefined {
  switch (source.format) {
    case 'plain':
      return undefined;
    case 'editor':
      return editorHtml(JSON.parse(source.json) as EditorNode);
    case 'markdown': {
      const { text } = source;
      const document = parseMarkdown(text, Math.max(text.length, MIN_LENGTH_OF_TEXT) * MAX_GROWTH);
      return document && editorHtml(document);
    }
  }
}
