import fc from 'fast-check';
import { foldText } from '../database/sql/contains';
import { eachGram, GRAMS, gramsOf, piecesOf } from './grams';

const letters = fc.constantFrom(...'abAB ßẞİıΣσς消防車🚒𐐀𐐨-', '\u212a', '\ud83d', '한');
const texts = fc.string({ unit: letters, maxLength: 60 });

const gramsIn = (text: string): Set<number> => {
  const grams = new Set<number>();
  for (const piece of piecesOf(text)) eachGram(piece, (gram) => grams.add(gram));
  return grams;
};

describe('gramsOf and eachGram', () => {
  it('gives a word only grams that every text with the word has, whatever the case', () => {
    fc.assert(
      fc.property(texts, texts, texts, fc.boolean(), (before, word, after, isUpper) => {
        const text = before + (isUpper ? word.toUpperCase() : word) + after;
        fc.pre(foldText(text).includes(foldText(word)));
        const grams = gramsIn(text);
        expect(gramsOf(word).filter((gram) => !grams.has(gram))).toEqual([]);
      }),
    );
  });

  it.each([0, 1, 5, 6, 7, 8, 9, 4080, 4086, 4088, 4090, 4092, 4094, 4096, 4100, 12_270])(
    'gives a word at %i of a long text only grams that the text has',
    (position) => {
      const text = `${'x'.repeat(position)}Feuer𐐀wehr消防車${'y'.repeat(20_000)}`;
      const grams = gramsIn(text);
      expect(gramsOf('feuer𐐨wehr消防車').filter((gram) => !grams.has(gram))).toEqual([]);
    },
  );

  it.each([
    ['', 0],
    ['a', 0],
    ['ab', 0],
    ['abc', 1],
    ['abcd', 2],
    ['消', 0],
    ['消防', 1],
    ['消防車', 2],
    ['🚒', 1],
    ['a消', 0],
    ['a消防', 2],
  ])('splits %j into %i grams', (word, count) => {
    expect(gramsOf(word)).toHaveLength(count);
  });

  it('spreads the grams over the available numbers', () => {
    const grams = new Set<number>();
    for (let index = 0; index < 60_000; index++)
      eachGram(index.toString(36).padStart(4, '0'), (gram) => grams.add(gram));
    expect(Math.min(...grams)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...grams)).toBeLessThan(GRAMS);
    // All triplets of 36 characters, distributed over at least as many numbers.
    expect(grams.size).toBeGreaterThan(0.6 * Math.min(GRAMS, 36 ** 3));
  });
});
