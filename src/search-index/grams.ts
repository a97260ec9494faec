import { foldText } from '../database/sql/contains';

/** Number of possible grams. A gram is the hash of two or three letters. */
export const GRAMS = 1 << 16;

/** Start of the scripts with many letters (CJK and beyond), where two letters are as selective as three of an alphabet. */
const FIRST_WIDE = 0x2e80;

/**
 * Everything that grams depend on besides the text. Grams are stored: a change of `hash` or of the grouping of letters requires a different
 * number here.
 */
export const GRAMS_VERSION = `1-${process.versions.unicode}`;

/**
 * Calls back with the grams of a text, possibly more than once for each. A text that contains a word in the sense of `contains` has all
 * grams of the word.
 */
export function eachGram(text: string, found: (gram: number) => void): void {
  const folded = foldText(text);
  let first = folded.charCodeAt(0);
  let second = folded.charCodeAt(1);
  for (let index = 2; index <= folded.length; index++) {
    const third = folded.charCodeAt(index);
    if (first >= FIRST_WIDE && second >= FIRST_WIDE) found(hash(first, second, 0));
    else if (index < folded.length) found(hash(first, second, third));
    first = second;
    second = third;
  }
}

/** Length of a piece. Computing its grams takes a millisecond, or ten if all of them are new. */
const PIECE = 4096;
/** Overlap of adjacent pieces, which preserves the grams at a cut, even if a letter is cut in two. */
const OVERLAP = 8;

/** Splits a text into pieces that together have all of its grams. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start === 0 || start + OVERLAP < text.length; start += PIECE - OVERLAP) {
    pieces.push(text.slice(start, start + PIECE));
  }
  return pieces;
}

/** Returns the distinct grams of a word; none if it is too short. */
export function gramsOf(word: string): number[] {
  const grams = new Set<number>();
  eachGram(word, (gram) => grams.add(gram));
  return [...grams];
}

function hash(first: number, second: number, third: number): number {
  let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b) ^ Math.imul(third, 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 16)) & (GRAMS - 1);
}
