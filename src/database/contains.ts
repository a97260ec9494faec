import { type DataSource } from 'typeorm';
import { containsPattern } from './like';
import { isEmbedded } from './statements';

/** A condition with its one parameter. */
export interface TextCondition {
  sql: string;
  parameter: string;
}

/** SQLite's name of `containsFolded`. */
export const CONTAINS_FUNCTION = 'contains_folded';

/**
 * A condition for texts that contain a word, whatever the case of their letters, the same on every engine. SQLite folds
 * ASCII letters alone, so for others it asks `containsFolded`; the MySQL family compares by code point, so both sides are
 * put in lower case. What has no case is compared as it is, which is fastest.
 */
export function contains(dataSource: DataSource, column: string, word: string): TextCondition {
  const folded = fold(word);
  if (isEmbedded(dataSource)) {
    return hasCaseBeyondAscii(word)
      ? { sql: `${CONTAINS_FUNCTION}(${column}, ?)`, parameter: folded }
      : { sql: `${column} LIKE ? ESCAPE '!'`, parameter: containsPattern(word) };
  }
  const text = hasCase(word) ? `LOWER(${column})` : column;
  return { sql: `${text} LIKE ? ESCAPE '!'`, parameter: containsPattern(folded) };
}

/** What SQLite is lent for letters that it cannot fold itself. */
export const containsFolded = (text: unknown, folded: unknown): number =>
  typeof text === 'string' && typeof folded === 'string' && fold(text).includes(folded) ? 1 : 0;

/**
 * Lower case letter by letter, as the MySQL family has it: JavaScript makes another letter of a sigma at the end of a word.
 */
const fold = (text: string): string =>
  text.includes('Σ') ? Array.from(text, (letter) => letter.toLowerCase()).join('') : text.toLowerCase();

const hasCase = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();

// eslint-disable-next-line no-control-regex
const hasCaseBeyondAscii = (text: string): boolean => hasCase(text.replace(/[\x00-\x7f]/g, ''));
