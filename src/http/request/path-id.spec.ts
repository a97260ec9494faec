import fc from 'fast-check';
import { isNumeric, parseId } from './path-id';
import { runs } from '../../../test/support/thoroughness';

describe(parseId.name, () => {
  it('parses every positive safe integer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (id) => {
        expect(parseId(String(id))).toBe(id);
      }),
    );
  });

  it('returns an id only for its canonical decimal text', () => {
    const almost = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('0', '1', '9', '+', '-', '.', 'e', ' ') }),
    );
    fc.assert(
      fc.property(almost, (text) => {
        const id = parseId(text);
        expect(id === undefined || String(id) === text).toBe(true);
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each([
    undefined,
    '',
    '0',
    '01',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x1',
    ' 1',
    '1 ',
    '1\n',
    '١',
    '９',
    '9007199254740992',
    '9'.repeat(400),
  ])('returns undefined for %j', (text) => {
    expect(parseId(text)).toBeUndefined();
  });

  it('accepts the largest safe integer', () => {
    expect(parseId('9007199254740991')).toBe(9_007_199_254_740_991);
  });
});

describe(isNumeric.name, () => {
  it.each([
    ['1', true],
    ['007', true],
    ['9'.repeat(50), true],
    ['', false],
    ['1a', false],
    ['-1', false],
    ['1\n', false],
    ['１', false],
  ])('maps %j to %s', (text, numeric) => {
    expect(isNumeric(text)).toBe(numeric);
  });
});
