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
 * LIKE takes as long as the word times the text where they are made for it: `%aaa…ab%`. On SQLite it is the fastest for words
 * as people type them, and up to this length never much slower than the rest.
 */
const MAX_LIKE_LENGTH = 12;

/**
 * A condition for texts that contain a word, whatever the case of their letters, the same on every engine. SQLite folds
 * ASCII letters alone, so for others it asks `containsFolded`; the MySQL family compares bytes, which is fastest, so both
 * sides are put in lower case. What has no case is compared as it is.
 */
export function contains(dataSource: DataSource, column: string, word: string): TextCondition {
  const folded = fold(word);
  if (!isEmbedded(dataSource)) {
    const text = hasCase(word) ? `LOWER(${column})` : column;
    return { sql: `LOCATE(CAST(? AS BINARY), ${text}) > 0`, parameter: folded };
  }
  if (hasCaseBeyondAscii(word)) return { sql: `${CONTAINS_FUNCTION}(${column}, ?)`, parameter: folded };
  return word.length <= MAX_LIKE_LENGTH
    ? { sql: `${column} LIKE ? ESCAPE '!'`, parameter: containsPattern(word) }
    : { sql: `instr(lower(${column}), ?) > 0`, parameter: folded };
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
