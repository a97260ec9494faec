import fc from 'fast-check';

const SURROGATES = 0xd8_00;
const SURROGATE_COUNT = 0x8_00;
const LAST = 0x10_ff_ff;

/**
 * Generates what the unit `binary` of `fc.string` does, every character, with the same odds. To see whether a string consists of such
 * units, fast-check fills a map with all of them, for a second and a hundred megabytes in each process.
 */
export const anyCharacter = fc
  .nat(LAST - SURROGATE_COUNT)
  .map((index) => String.fromCodePoint(index < SURROGATES ? index : index + SURROGATE_COUNT), indexOf);

function indexOf(character: unknown): number {
  const code = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1;
  if (code < 0 || String.fromCodePoint(code) !== character || !character.isWellFormed()) {
    throw new Error('This is not one character.');
  }
  return code < SURROGATES ? code : code - SURROGATE_COUNT;
}
