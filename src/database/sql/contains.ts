import { type DataSource } from 'typeorm';
import { containsPattern } from './like';
import { isEmbedded } from './statements';

/** SQL condition with its only parameter. */
export interface TextCondition {
  sql: string;
  parameter: string;
}

/** SQLite's name for `containsFolded`. Only search connections define it. */
export const CONTAINS_FUNCTION = 'contains_folded';
/**
 * SQLite's name for the function that runs before each text is examined and throws if the search must stop. Only search connections define
 * it, so that no other connection can run a search.
 */
export const CONTINUES_FUNCTION = 'search_continues';

/**
 * Maximum length of a word that is searched with LIKE. In the worst case, `%aaa…ab%`, LIKE takes time proportional to the length of the
 * word times that of the text. On SQLite it is the fastest for typical words, and up to this length never much slower than the
 * alternatives.
 */
const MAX_LIKE_LENGTH = 12;

/**
 * Returns a condition for texts that contain a word regardless of case, the same on every engine, for statements that run on
 * `keywordSearchRunner`.
 *
 * Two letters match if `foldLetter` maps them to the same letter. The engines' own functions use other versions of Unicode (SQLite none at
 * all, MariaDB 10 lacks `Ა` and `𐐀`), so they only fold ASCII: SQLite's LIKE and lower(), and the MySQL family's LOWER() on the bytes, read
 * as Latin-1. For letters beyond ASCII, SQLite calls `containsFolded`, and the MySQL family gets a regular expression that lists the
 * matching letters. Words without case are compared byte by byte.
 */
export function contains(dataSource: DataSource, column: string, word: string): TextCondition {
  return isEmbedded(dataSource)
    ? containsOnSqlite(column, word)
    : containsOnServer(column, word, dataSource.options.type === 'mysql');
}

/**
 * Returns a condition that is always true and lets a SELECT that scans a table stop early on the embedded database. It checks only some of
 * the rows, so that its cost is negligible.
 * @param id the column with the row's id
 */
export const continuesCondition = (id: string): string => `(${id} % 64 <> 0 OR ${CONTINUES_FUNCTION}())`;

function containsOnSqlite(column: string, word: string): TextCondition {
  const preceded = (sql: string): string => `CASE WHEN ${CONTINUES_FUNCTION}() THEN ${sql} END`;
  if (hasCaseBeyondAscii(word)) {
    return { sql: preceded(`${CONTAINS_FUNCTION}(${column}, ?)`), parameter: foldText(word) };
  }
  return word.length <= MAX_LIKE_LENGTH
    ? { sql: preceded(`${column} LIKE ? ESCAPE '!'`), parameter: containsPattern(word) }
    : { sql: preceded(`instr(lower(${column}), ?) > 0`), parameter: foldText(word) };
}

function containsOnServer(column: string, word: string, isMysql: boolean): TextCondition {
  if (!hasCase(word)) {
    // MySQL also applies the text's collation when it searches for bytes, which takes twice as long.
    const bytes = isMysql ? `CAST(${column} AS BINARY)` : column;
    return { sql: `LOCATE(CAST(? AS BINARY), ${bytes}) > 0`, parameter: word };
  }
  if (!isAscii(word)) return { sql: `${column} REGEXP ?`, parameter: patternOf(word) };
  // Letters beyond ASCII are garbled, but their bytes stay beyond ASCII. MySQL compares by the collation of the searched text.
  const folded = `LOWER(CONVERT(CAST(${column} AS BINARY) USING latin1)) COLLATE latin1_bin`;
  return { sql: `LOCATE(CAST(? AS BINARY), ${folded}) > 0`, parameter: foldText(word) };
}

/** SQLite function for words with letters that SQLite cannot fold itself. */
export const containsFolded = (text: unknown, folded: unknown): number =>
  typeof text === 'string' && typeof folded === 'string' && foldText(text).includes(folded) ? 1 : 0;

/** Letters for which the lower case of a text differs from that of its letters, or from the result of `foldLetter`. */
const SPECIAL = /[\u0130\u03a3\u212a]/;

/** Returns a text with each letter folded. A text contains a word if the folded text contains the folded word. */
export const foldText = (text: string): string =>
  SPECIAL.test(text) ? Array.from(text, foldLetter).join('') : text.toLowerCase();

/**
 * Returns the lower case of one letter according to the Unicode version of Node.js. A letter beyond ASCII stays unchanged if its lower case
 * is several letters or an ASCII letter: `İ`, the Kelvin sign. ASCII letters, the only ones that the engines fold, therefore match only
 * ASCII letters.
 */
export function foldLetter(letter: string): string {
  const lower = letter.toLowerCase();
  if (isAscii(letter)) return lower;
  return lower.length > String.fromCodePoint(lower.codePointAt(0) as number).length || isAscii(lower)
    ? letter
    : lower;
}

// oxlint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

const hasCase = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();

// oxlint-disable-next-line no-control-regex
const hasCaseBeyondAscii = (text: string): boolean => hasCase(text.replace(/[\x00-\x7f]/g, ''));

/** Returns a regular expression for PCRE (MariaDB) and ICU (MySQL): a sequence of classes of matching letters. */
const patternOf = (word: string): string =>
  Array.from(word, (letter) => `[${lettersLike(letter).map(escaped).join('')}]`).join('');

const escaped = (letter: string): string => `\\x{${(letter.codePointAt(0) as number).toString(16)}}`;

/** First code point beyond all letters with case. */
const END_OF_CASE = 0x20000;
let capitals: Map<string, string[]> | undefined;

/** Returns all letters that `foldLetter` maps to the same letter as this one. */
function lettersLike(letter: string): string[] {
  capitals ??= findCapitals();
  const folded = foldLetter(letter);
  return [folded, ...(capitals.get(folded) ?? [])];
}

/** Returns the letters that folding changes, by folded letter. */
function findCapitals(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (let code = 0; code < END_OF_CASE; code++) {
    const letter = String.fromCodePoint(code);
    const folded = foldLetter(letter);
    if (folded === letter) continue;
    const others = found.get(folded);
    if (others) others.push(letter);
    else found.set(folded, [letter]);
  }
  return found;
}
