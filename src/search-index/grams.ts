import { foldText } from '../database/contains';

/** How many grams there are. A gram is the hash of two or three letters. */
export const GRAMS = 1 << 16;

/** Letters from here on (CJK and what comes after) are many, so that two of them say as much as three of an alphabet. */
const FIRST_WIDE = 0x2e80;

/**
 * What grams depend on besides the text. They are stored: a change of `hash` or of the letters that are taken together needs
 * another number here.
 */
export const GRAMS_VERSION = `1-${process.versions.unicode}`;

/**
 * Calls back with the grams of a text, some of them repeatedly. A text that contains a word, as `contains` has it, has all grams
 * of the word.
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

/** Length of a piece: its grams take a millisecond, or ten when each of them is a new one. */
const PIECE = 4096;
/** What pieces have in common: a gram, wherever its letters are cut in two. */
const OVERLAP = 8;

/** A text in pieces that have all of its grams. */
export function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start === 0 || start + OVERLAP < text.length; start += PIECE - OVERLAP) {
    pieces.push(text.slice(start, start + PIECE));
  }
  return pieces;
}

/** The different grams of a word; none when it is too short. */
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
