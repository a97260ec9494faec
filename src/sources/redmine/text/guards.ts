/**
 * Textile libraries read more into a text than Redmine does: quotes, dashes and dimensions become other characters, HTML stays HTML, and
 * some of their expressions take exponential time for brackets and dashes. So every character that must stay is guarded: a character of
 * the private use area stands for it until the text is Markdown, where it is escaped if needed. The semicolons around it leave the ends
 * of phrases where they are, because Textile allows phrases beside semicolons and brackets alike.
 */
const FIRST = 0xe100;
/** The characters that guards and tokens are made of; a text with one of them is not converted. */
export const RESERVED = /[\ue100-\ue17f\ue300-\ue303]/;

/** The start of a token of Markdown (`tokens.ts`). */
export const TOKEN = ';\ue300';
const GUARD_LENGTH = 3;
const GUARDED = /;([\ue100-\ue17f]);/g;
const ALWAYS = /[<>&"'()[\]{}!=|\\`~^@]/g;
/** What Textile or its library would read as a dash, an ellipsis, a dimension, a continued list or a definition. */
const TYPOGRAPHY = /-{2,}|(?<=^|\s)-(?=\s|$)|\.{3,}|(?<=[\d.,] ?)x(?= ?[\d.,])|#(?=[\d_])/g;
/** Longer runs of marks mark nothing in Redmine, and those of digits take the library long. */
const RUNS = /[*_+%?-]{4,}|[\d.,]{50,}/g;
const PHRASE_MARKS = /[*_+%?-]/g;
/** A mark that may begin a phrase. */
const PHRASE_STARTS = /(?:^|[\s.,?:;%])(?:[*_+%-]|\?\?)(?=\S)/g;
/** Styles and classes of phrases, which Markdown has not. */
const PHRASE_STYLE = /(?<=^|[\s(])([*_+-]{1,2}|%|\?\?)(?:\{[^}\n]{0,200}\}|(?<=%)\([\w -]{1,50}\))(?=\S)/g;
/** Phrases of one line; with more, reading them would take too long. */
const MAX_PHRASES = 40;

/** Returns characters that neither a library nor Markdown reads. */
export const guard = (characters: string): string =>
  characters.replace(/[^]/g, (one) => `;${String.fromCharCode(FIRST + one.charCodeAt(0))};`);

/** Returns one line in which only the marks of phrases have a meaning in Textile. */
export function guardLine(line: string): string {
  const guarded = line
    .replace(PHRASE_STYLE, '$1')
    .replace(TYPOGRAPHY, guard)
    .replace(RUNS, guard)
    .replace(ALWAYS, guard);
  const phrases = guarded.match(PHRASE_STARTS)?.length ?? 0;
  return phrases > MAX_PHRASES ? guarded.replace(PHRASE_MARKS, guard) : guarded;
}

/** What texts of elements have instead of characters that Markdown would read. */
export const MARKDOWN_GUARDS: readonly (readonly [RegExp, string])[] = [
  ...['*', '_', '#', '+'].map((one): [RegExp, string] => [new RegExp(`\\${one}`, 'g'), guard(one)]),
  [/(?<=^ *\d{1,9})\.(?= |$)/g, guard('.')],
];

/** Returns a line of Markdown with the characters that were guarded. */
export const finishLine = (line: string): string =>
  line.replace(GUARDED, (guarded, one: string, index: number) => {
    const character = String.fromCharCode(one.charCodeAt(0) - FIRST);
    const next = line[index + guarded.length];
    return needsEscape(character, line, index, next) ? `\\${character}` : character;
  });

/** Returns a text without formatting as Markdown that shows it. */
export const plainMarkdown = (text: string): string => text.replace(/[\\`*_[\]<>~|]/g, '\\$&');

function needsEscape(character: string, line: string, index: number, next: string | undefined): boolean {
  switch (character) {
    case '[':
    case ']':
    case '`':
    case '\\':
    case '~':
    case '|':
    case '*':
      return true;
    case '_':
      return !(isWordCharacter(line[index - 1]) && isWordCharacter(next));
    case '<':
      return next !== undefined && !/[\s\d]/.test(next);
    case '>':
    case '=':
      return isAtStart(line, index);
    case '-':
      // A line that begins with a dash and a space becomes the list that it looks like.
      return next !== ' ' && isAtStart(line, index);
    case '+':
    case '#':
      return (next === undefined || next === ' ' || next === ';') && isAtStart(line, index);
    case '!':
      // A token behind it may be a link, which must not become an image.
      return line.startsWith(TOKEN, index + GUARD_LENGTH);
    case '.':
    case ')':
      return (next === undefined || next === ' ') && /^ *\d{1,9}$/.test(line.slice(0, index));
    default:
      return false;
  }
}

const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

const MAX_INDENT = 40;

/** Whether a place is the first of its line, after the marks of lists. */
const isAtStart = (line: string, index: number): boolean =>
  index <= MAX_INDENT && /^[ \d.*+>-]*$/.test(line.slice(0, index));
