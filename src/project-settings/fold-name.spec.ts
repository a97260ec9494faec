import fc from 'fast-check';
import { foldName } from './fold-name';
import { anyCharacter } from '../../test/support/any-character';
import { LETTER_STEP } from '../../test/support/thoroughness';

describe(foldName.name, () => {
  it.each([
    ['Bug', 'bug'],
    ['Bug', '  BUG\t'],
    ['Straße', 'STRASSE'],
    ['straẞe', 'strasse'],
    ['ΟΔΟΣ', 'οδος'],
    ['οδός', 'ΟΔΌΣ'],
    ['ﬁx', 'FIX'],
    ['Ärger', 'äRGER'],
    ['ԵՒ', 'և'],
    ['𐐀', '𐐨'],
    ['ſ', 'S'],
  ])('folds %s and %s to the same name', (one, other) => {
    expect(foldName(one)).toBe(foldName(other));
  });

  it.each([
    ['Bug', 'Bugs'],
    ['a', 'ä'],
    ['ı', 'i'],
    ['😀', '😁'],
    ['a b', 'ab'],
    ['か', 'が'],
  ])('folds %s and %s to different names', (one, other) => {
    expect(foldName(one)).not.toBe(foldName(other));
  });

  it('returns the same for a lower-cased and for a folded name', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        const folded = foldName(name);
        expect(foldName(name.toLowerCase())).toBe(folded);
        expect(foldName(folded)).toBe(folded);
      }),
    );
  });

  it('expands no character to more than three', () => {
    const longer: string[] = [];
    for (let point = 1; point <= 0x10ffff; point += LETTER_STEP) {
      const character = String.fromCodePoint(point);
      if (Array.from(foldName(character)).length > 3) longer.push(character);
    }
    expect(longer).toEqual([]);
  });
});
