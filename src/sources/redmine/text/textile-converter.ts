import textile from 'textile-js';
import { guardLine, RESERVED } from './guards';
import { toMarkdown } from './markdown';
import { replaceLinks, type TextLinks } from './redmine-links';
import { guardLines, type Part, partsOf, takeCode } from './textile-blocks';
import { Tokens } from './tokens';

/** A text as Markdown. */
export interface ConvertedText {
  markdown: string;
  /** Whether its formatting has been converted; otherwise the text is as it was, with HTML escaped. */
  isConverted: boolean;
}

/** Longer texts would take seconds. */
const MAX_LENGTH = 100_000;
const MAX_QUOTES = 10;

/**
 * Converts Redmine's Textile to Markdown without HTML (`docs/import.md#from-redmine`), in a time that grows with the length of the text and
 * with nothing else: what would take the libraries longer is guarded before they see it (`guards.ts`).
 */
export function convertTextile(text: string, links: TextLinks): ConvertedText {
  const source = text.toWellFormed().replace(/\r\n?/g, '\n');
  if (source.trim() === '') return { markdown: '', isConverted: true };
  if (source.length > MAX_LENGTH || RESERVED.test(source)) return asItWas(source);
  const tokens = new Tokens();
  const readable = takeCode(source, tokens)
    // Redmine removes control characters, too.
    .replace(/[^\P{Cc}\t\n]/gu, '')
    .replaceAll('\t', '    ');
  try {
    return { markdown: toParts(replaceLinks(readable, tokens, links), tokens, 0), isConverted: true };
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    // A library has not coped with the text.
    return asItWas(source);
  }
}

function toParts(text: string, tokens: Tokens, depth: number): string {
  const parts: string[] = [];
  for (const part of partsOf(text)) {
    const markdown = toPart(part, tokens, depth);
    if (markdown !== '') parts.push(markdown);
  }
  return parts.join('\n\n');
}

function toPart(part: Part, tokens: Tokens, depth: number): string {
  if (part.kind === 'rule') return '---';
  if (part.kind === 'textile')
    return tokens.finish(toMarkdown(textile(guardLines(part.lines), { breaks: true })));
  const content =
    depth < MAX_QUOTES
      ? toParts(part.lines.join('\n'), tokens, depth + 1)
      : tokens.finish(part.lines.map(guardLine).join('\n'));
  return content
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Returns a text that is not converted. */
const asItWas = (text: string): ConvertedText => ({
  markdown: text.replace(/<(?=[^\s\d])/g, '&lt;'),
  isConverted: false,
});
