import { type DataSource } from 'typeorm';
import { containsPattern } from './like';
import { isEmbedded } from './statements';

/** A condition with its one parameter. */
export interface TextCondition {
  sql: string;
  parameter: string;
}

/** SQLite's name of `containsFolded`. Only the connections of searches have it. */
export const CONTAINS_FUNCTION = 'contains_folded';
/**
 * SQLite's name of the function that each text is preceded by: it throws when the search has to end. Only the connections of
 * searches have it, so that no other can run one.
 */
export const CONTINUES_FUNCTION = 'search_continues';

/**
 * LIKE takes as long as the word times the text where they are made for it: `%aaa…ab%`. On SQLite it is the fastest for words
 * as people type them, and up to this length never much slower than the rest.
 */
const MAX_LIKE_LENGTH = 12;

/**
 * A condition for texts that contain a word, whatever the case of its letters, the same on every engine; for statements that
 * run on `keywordSearchRunner`.
 *
 * Two letters are alike when `foldLetter` makes the same of them. The engines' own functions know other versions of Unicode
 * (SQLite none at all, MariaDB 10 neither `Ა` nor `𐐀`), so they fold ASCII alone: SQLite's LIKE and lower(), and LOWER() of the
 * MySQL family on the bytes, taken for Latin-1. For letters beyond, SQLite calls `containsFolded`, and the MySQL family gets a
 * regular expression that lists the letters which are alike. Words without case are compared byte by byte.
 */
export function contains(dataSource: DataSource, column: string, word: string): TextCondition {
  return isEmbedded(dataSource)
    ? containsOnSqlite(column, word)
    : containsOnServer(column, word, dataSource.options.type === 'mysql');
}

/**
 * A condition that always holds, and lets a SELECT over a table of searches end early on the embedded database: it asks at some of
 * the rows, so that the asking costs nothing that is felt.
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
    // MySQL compares texts by their collation also for bytes, which takes twice as long.
    const bytes = isMysql ? `CAST(${column} AS BINARY)` : column;
    return { sql: `LOCATE(CAST(? AS BINARY), ${bytes}) > 0`, parameter: word };
  }
  if (!isAscii(word)) return { sql: `${column} REGEXP ?`, parameter: patternOf(word) };
  // Letters beyond ASCII come out wrong, but their bytes stay beyond ASCII. MySQL compares by the collation of what it looks in.
  const folded = `LOWER(CONVERT(CAST(${column} AS BINARY) USING latin1)) COLLATE latin1_bin`;
  return { sql: `LOCATE(CAST(? AS BINARY), ${folded}) > 0`, parameter: foldText(word) };
}

/** What SQLite calls for letters that it cannot fold itself. */
export const containsFolded = (text: unknown, folded: unknown): number =>
  typeof text === 'string' && typeof folded === 'string' && foldText(text).includes(folded) ? 1 : 0;

/** Where the lower case of a text is not that of its letters, or not what `foldLetter` makes of them. */
const SPECIAL = /[\u0130\u03a3\u212a]/;

/** A text with each of its letters folded: a text contains a word when it does so folded. */
export const foldText = (text: string): string =>
  SPECIAL.test(text) ? Array.from(text, foldLetter).join('') : text.toLowerCase();

/**
 * The lower case of one letter, by the Unicode of Node.js. A letter beyond ASCII stays what it is where that is several letters
 * or an ASCII one: `İ`, the Kelvin sign. So only ASCII letters are like ASCII letters, which is all that engines fold.
 */
export function foldLetter(letter: string): string {
  const lower = letter.toLowerCase();
  if (isAscii(letter)) return lower;
  return lower.length > String.fromCodePoint(lower.codePointAt(0) as number).length || isAscii(lower)
    ? letter
    : lower;
}

// eslint-disable-next-line no-control-regex
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);

const hasCase = (text: string): boolean => text.toLowerCase() !== text.toUpperCase();

// eslint-disable-next-line no-control-regex
const hasCaseBeyondAscii = (text: string): boolean => hasCase(text.replace(/[\x00-\x7f]/g, ''));

/** A regular expression for PCRE (MariaDB) and ICU (MySQL): one list of alike letters after the other. */
const patternOf = (word: string): string =>
  Array.from(word, (letter) => `[${lettersLike(letter).map(escaped).join('')}]`).join('');

const escaped = (letter: string): string => `\\x{${(letter.codePointAt(0) as number).toString(16)}}`;

/** No letter from here on has a case. */
const END_OF_CASE = 0x20000;
let capitals: Map<string, string[]> | undefined;

/** All letters that `foldLetter` makes the same of as of this one. */
function lettersLike(letter: string): string[] {
  capitals ??= findCapitals();
  const folded = foldLetter(letter);
  return [folded, ...(capitals.get(folded) ?? [])];
}

/** What is folded to something else, by what it is folded to. */
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
