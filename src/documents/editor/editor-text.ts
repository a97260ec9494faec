import { InvalidRequestError } from '../../errors/domain-errors';
import { loopTurns } from '../../event-loop/loop-turns';
import { plainText } from './editor-node';
import { parseMarkdown } from './markdown';
import { NodeBudget, TooManyNodesError } from './node-budget';

/** The stored form of a text of a document or comment. */
export interface EditorText {
  /** The editor's document, as JSON. */
  json: string;
  /** The text without formatting. */
  plain: string;
}

/** Maximum number of nodes of a text, and of characters of its JSON. */
export interface EditorLimits {
  nodes: number;
  length: number;
}

/** The JSON can have five times as many characters as the text. */
export const DOCUMENT_LIMITS: EditorLimits = { nodes: 20_000, length: 500_000 };
export const COMMENT_LIMITS: EditorLimits = { nodes: 1000, length: 50_000 };

/**
 * Converts Markdown to the editor's document (`docs/decisions/0039-documents.md`).
 * @throws InvalidRequestError for `content` when it has more formatting than the limits permit
 */
export async function toEditorText(markdown: string, limits: EditorLimits): Promise<EditorText> {
  const parsing = parseMarkdown(markdown, new NodeBudget(limits.nodes));
  try {
    for (;;) {
      const { done, value } = parsing.next();
      if (done) {
        const json = JSON.stringify(value);
        if (json.length > limits.length) throw new TooManyNodesError();
        return { json, plain: plainText(value) };
      }
      if (loopTurns.isOver()) await loopTurns.nextSlice();
    }
  } catch (error) {
    if (!(error instanceof TooManyNodesError)) throw error;
    throw InvalidRequestError.of('content', 'content has too much formatting for its size.');
  }
}
