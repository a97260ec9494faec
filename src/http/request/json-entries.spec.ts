import fc from 'fast-check';
import { hasMoreEntriesThan } from './json-entries';

/** Counts values in lists and objects, independently of the text. */
function entriesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const values: unknown[] = Object.values(value);
  return values.reduce<number>((count, one) => count + 1 + entriesOf(one), 0);
}

const emptyOnes = (value: unknown): number =>
  typeof value !== 'object' || value === null
    ? 0
    : (Object.keys(value).length === 0 ? 1 : 0) +
      Object.values(value).reduce<number>((count, one) => count + emptyOnes(one), 0);

describe(hasMoreEntriesThan.name, () => {
  it('counts the entries of any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1), (value, indent) => {
        const json = Buffer.from(JSON.stringify(value, undefined, indent));
        const entries = entriesOf(value) + emptyOnes(value);
        expect(hasMoreEntriesThan(json, entries)).toBe(false);
        if (entries > 0) expect(hasMoreEntriesThan(json, entries - 1)).toBe(true);
      }),
    );
  });

  it.each([
    ['commas in strings', `["${','.repeat(100)}"]`, 1],
    ['brackets after escaped quotes', `["${'\\"[{'.repeat(100)}\\\\"]`, 1],
    ['nested lists', '['.repeat(100), 100],
    ['a repeated name', `{${'"a":1,'.repeat(100)}"a":1}`, 101],
  ])('counts the entries of JSON with %s', (_what, json, entries) => {
    expect(hasMoreEntriesThan(Buffer.from(json), entries)).toBe(false);
    expect(hasMoreEntriesThan(Buffer.from(json), entries - 1)).toBe(true);
  });
});
