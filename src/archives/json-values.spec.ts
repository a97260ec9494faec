import fc from 'fast-check';
import { hasFewValues, isShallow } from './json-values';

describe('hasFewValues', () => {
  it('counts the commas and opening brackets of any JSON', () => {
    const marksOf = (value: unknown): number => {
      if (typeof value !== 'object' || value === null) return 0;
      const inside = Object.values(value);
      return inside.reduce<number>((sum, one) => sum + marksOf(one), Math.max(1, inside.length));
    };
    fc.assert(
      fc.property(fc.json(), (text) => {
        const marks = marksOf(JSON.parse(text));
        expect(hasFewValues(text, marks)).toBe(true);
        if (marks > 0) expect(hasFewValues(text, marks - 1)).toBe(false);
      }),
    );
  });

  it('counts what is outside of texts', () => {
    const text = JSON.stringify(['{,[', '\\', 'a\\"b",[', { '[,': 1 }]);
    expect([hasFewValues(text, 5), hasFewValues(text, 4)]).toEqual([true, false]);
  });

  it('reads no text without an end', () => {
    expect(hasFewValues('["\\"[[[[[[[[', 1)).toBe(true);
  });

  it('looks only at a text that is long enough for too many values', () => {
    expect(hasFewValues('['.repeat(1000), 1000)).toBe(true);
    expect(hasFewValues('['.repeat(1001), 1000)).toBe(false);
  });
});

describe('isShallow', () => {
  it.each<[string, boolean]>([
    ['[[1,null,"x"],{"a":{}}]', true],
    ['[[[[]]]]', false],
    ['{"a":{"a":{"a":{}}}}', false],
    ['["\\ud800"]', false],
    ['{"\\ud800":1}', false],
    ['{"__proto__":{"a":[[]]}}', false],
  ])('reads %s as %s', (text, expected) => {
    expect(isShallow(JSON.parse(text), 3)).toBe(expected);
  });
});
