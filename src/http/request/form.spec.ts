import fc from 'fast-check';
import { anyCharacter } from '../../../test/support/any-character';
import { InvalidRequestError } from '../../errors/domain-errors';
import { type Form, MAX_ENTRIES, parseForm } from './form';

const text = fc.string({ unit: anyCharacter, maxLength: 20 });
/** A name without the brackets of a list. */
const plainName = text.filter((name) => !/\[\d*\]$/.test(name));

const valuesOf = (form: Form): Record<string, string[]> =>
  Object.fromEntries([...form.entries].map(([name, values]) => [`name ${name}`, values]));

describe(parseForm.name, () => {
  it('returns the names and values of any encoded form', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(plainName, text)), (pairs) => {
        const expected: Record<string, string[]> = {};
        for (const [name, value] of pairs) (expected[`name ${name}`] ??= []).push(value);
        const form = parseForm(new URLSearchParams(pairs).toString());
        expect(valuesOf(form)).toEqual(expected);
      }),
    );
  });

  it('collects list values under the plain name, with or without an index', () => {
    const brackets = fc.oneof(
      fc.constant('[]'),
      fc.nat(10_000).map((index) => `[${index}]`),
    );
    fc.assert(
      fc.property(plainName, fc.array(fc.tuple(brackets, text), { minLength: 1 }), (name, items) => {
        const pairs = items.map(([bracket, value]): [string, string] => [name + bracket, value]);
        const form = parseForm(new URLSearchParams(pairs).toString());
        expect([...form.entries]).toEqual([[name, items.map(([, value]) => value)]]);
      }),
    );
  });

  it.each([
    ['a=1&a=2', { a: ['1', '2'] }],
    ['a[]=1&a=2', { a: ['1', '2'] }],
    ['a=1&a[0]=2', { a: ['1', '2'] }],
    ['a%5B%5D=1', { a: ['1'] }],
    ['a[b]=1', { 'a[b]': ['1'] }],
    ['a[0][1]=1', { 'a[0]': ['1'] }],
    ['a[-1]=1', { 'a[-1]': ['1'] }],
    ['a', { a: [''] }],
    ['a=', { a: [''] }],
    ['=1', { '': ['1'] }],
    ['a=b=c', { a: ['b=c'] }],
    ['&&a=1&', { a: ['1'] }],
    ['a+b=c+d%2B', { 'a b': ['c d+'] }],
    ['', {}],
  ])('reads %j', (given, entries) => {
    expect(Object.fromEntries(parseForm(given).entries)).toEqual(entries);
  });

  it('keeps property names of Object.prototype as ordinary names', () => {
    const form = parseForm('__proto__=1&constructor=2&toString=3');
    expect([...form.entries.keys()]).toEqual(['__proto__', 'constructor', 'toString']);
  });

  it.each(['%', '%2', '%zz', 'a%', '%u0041', '%ff', '%c3', '%c0%80', '%ed%a0%80', '%f5%80%80%80', '%e2%82'])(
    'refuses %j in a name and in a value',
    (escape) => {
      expect(() => parseForm(`${escape}=1`)).toThrow(InvalidRequestError);
      expect(() => parseForm(`a=1&b=${escape}`)).toThrow(InvalidRequestError);
    },
  );

  it('reads any text or refuses it with InvalidRequestError', () => {
    const piece = fc.oneof(fc.constantFrom('%', '&', '=', '[', ']', '+', '%F0', '%9F', '%00'), text);
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        try {
          for (const values of parseForm(pieces.join('')).entries.values()) {
            expect(values.length).toBeGreaterThan(0);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidRequestError);
        }
      }),
    );
  });

  it('accepts the maximum number of entries and refuses more before decoding any', () => {
    const entries = Array<string>(MAX_ENTRIES).fill('a');
    expect(parseForm(entries.join('&')).entries.get('a')).toHaveLength(MAX_ENTRIES);
    expect(() => parseForm(['%zz', ...entries].join('&'))).toThrow('At most 5,000 parameters are allowed.');
  });
});
