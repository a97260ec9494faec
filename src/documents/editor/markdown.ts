import MarkdownIt from 'markdown-it';
import { type EditorNode, plainText } from './editor-node';
import { EditorNodes } from './editor-nodes';

/** The stored form of a text of a document or comment. */
export interface EditorText {
  /** The editor's document, as JSON. */
  json: string;
  /** The text without formatting. */
  plain: string;
}

/** Maximum nesting depth of quotes and lists; deeper ones are plain text. */
const MAX_NESTING = 8;
/** Addresses that a browser may follow; others, such as `javascript:`, stay plain text. */
const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|[/#?.]|[^:]*$)/i;

const parser = createParser();

/**
 * Converts Markdown to the editor's document: CommonMark without HTML, and tables, strikethrough, task lists and bare addresses as on
 * GitHub. Keeps line breaks. Takes seconds for crafted texts.
 * @returns undefined when the JSON would be longer than `maxLength` characters
 */
export function convertMarkdown(markdown: string, maxLength: number): EditorText | undefined {
  const document = parseMarkdown(markdown, maxLength);
  if (!document) return undefined;
  const json = JSON.stringify(document);
  return json.length > maxLength ? undefined : { json, plain: plainText(document) };
}

/**
 * Does the same without its JSON.
 * @returns undefined when the JSON would be considerably longer than `maxLength` characters
 */
export function parseMarkdown(markdown: string, maxLength: number): EditorNode | undefined {
  const content = new EditorNodes(parser, maxLength).build(parser.parse(markdown, {}));
  return content && { type: 'doc', content };
}

function createParser(): MarkdownIt.MarkdownIt {
  const markdown = new MarkdownIt({ linkify: true });
  // Addresses are stored as they are written.
  markdown.normalizeLink = (address) => address;
  markdown.normalizeLinkText = (address) => address;
  markdown.validateLink = (address) => SAFE_ADDRESS.test(address);
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  for (const schema of ['ftp:', 'mailto:', '//']) markdown.linkify.add(schema, null);
  limitNesting(markdown);
  return markdown;
}

/** The `maxNesting` of markdown-it drops what is nested more deeply. */
function limitNesting({ block }: MarkdownIt.MarkdownIt): void {
  let nesting = 0;
  const limited =
    (rule: BlockRule): BlockRule =>
    (...parameters) => {
      if (nesting >= MAX_NESTING) return false;
      nesting++;
      try {
        return rule(...parameters);
      } finally {
        nesting--;
      }
    };
  block.ruler.at('blockquote', limited(ruleOf('blockquote')), {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
  block.ruler.at('list', limited(ruleOf('list')), { alt: ['paragraph', 'reference', 'blockquote'] });
}

type BlockRule = ReturnType<MarkdownIt.ParserBlock['ruler']['getRules']>[number];

/** Returns a rule of markdown-it, which lists only enabled ones and without their names. */
function ruleOf(name: string): BlockRule {
  const { ruler } = new MarkdownIt().block;
  ruler.enableOnly([name]);
  return ruler.getRules('')[0] as BlockRule;
}
