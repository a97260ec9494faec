import { readObjectList } from './object-list';

const object = (name: string, size: string): string =>
  `<Contents>\n  <Key>${name}</Key><ETag>&quot;x&quot;</ETag><Size>${size}</Size></Contents>`;

describe(readObjectList.name, () => {
  it('reads names, sizes and whether there is more', () => {
    const xml = `<ListBucketResult><IsTruncated>true</IsTruncated>${object('a/1', '0')}${object('a/2', '12')}`;
    expect(readObjectList(xml)).toEqual({
      objects: [
        { name: 'a/1', size: 0 },
        { name: 'a/2', size: 12 },
      ],
      isTruncated: true,
    });
    expect(readObjectList('<ListBucketResult><IsTruncated>false</IsTruncated>')).toEqual({
      objects: [],
      isTruncated: false,
    });
  });

  it.each([
    ['a&amp;b&lt;&gt;&quot;&apos;', `a&b<>"'`],
    ['&#x1F600;&#65;&#xA;', '😀A\n'],
    ['&amp;lt;', '&lt;'],
    ['&#x110000;&nope;&constructor;', '&#x110000;&nope;&constructor;'],
  ])('decodes the name %s', (given, name) => {
    expect(readObjectList(object(given, '1')).objects).toEqual([{ name, size: 1 }]);
  });
});
