import { differences, type Shape } from './shapes';

const number = { kinds: ['number'] };
const rows = (properties: Record<string, Shape>): Shape => ({
  kinds: [],
  items: { kinds: [], objects: [properties] },
});

describe('differences', () => {
  it.each<[string, unknown, Shape]>([
    ['rows with the declared names and kinds', [{ id: 1 }, { id: 2 }], rows({ id: number })],
    ['no rows', [], rows({ id: number })],
    ['a value of one of several kinds', [{ n: '1' }], rows({ n: { kinds: ['number', 'string'] } })],
    ['a missing property that may be undefined', [{}], rows({ id: { kinds: ['undefined', 'number'] } })],
    ['anything that is declared as unknown', [{ data: { a: [1] } }], rows({ data: null })],
    ['binary data', [{ data: Buffer.from('a') }], rows({ data: { kinds: ['Uint8Array'] } })],
    [
      'a row of one of several types',
      [{ b: 1 }],
      { kinds: [], items: { kinds: [], objects: [{ a: number }, { b: number }] } },
    ],
  ])('finds none in %s', (_, value, shape) => {
    expect(differences(value, shape)).toEqual([]);
  });

  it.each<[string, unknown, Shape, string[]]>([
    ['a missing column', [{}], rows({ id: number }), ['id is undefined, but declared as number']],
    ['a surplus column', [{ id: 1, key: 2 }], rows({ id: number }), ['key is not declared']],
    [
      'a count as a string',
      [{ count: '1' }],
      rows({ count: number }),
      ['count is string, but declared as number'],
    ],
    ['null', [{ id: null }], rows({ id: number }), ['id is null, but declared as number']],
    [
      'a number for a boolean',
      [{ on: 1 }],
      rows({ on: { kinds: ['boolean'] } }),
      ['on is number, but declared as boolean'],
    ],
    [
      'a text for an array',
      [{ ids: '[]' }],
      rows({ ids: { kinds: [], items: number } }),
      ['ids is string, but declared as array'],
    ],
    ['one row for several', { id: 1 }, rows({ id: number }), ['the result is object, but declared as array']],
    [
      'a part of a value',
      [{ file: { id: 'a' } }],
      rows({ file: { kinds: [], objects: [{ id: number }] } }),
      ['file.id is string, but declared as number'],
    ],
  ])('names %s', (_, value, shape, expected) => {
    expect(differences(value, shape)).toEqual(expected);
  });
});
