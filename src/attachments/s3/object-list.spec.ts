import { readObjectList } from './object-list';

const object = (name: string, size: string, written = '2026-11-25T03:00:00.000Z'): string =>
  `<Contents>\n  <Key>${name}</Key><LastModified>${written}</LastModified><ETag>&quot;x&quot;</ETag><Size>${size}</Size></Contents>`;
const WRITTEN = Date.UTC(2026, 10, 25, 3);

describe(readObjectList.name, () => {
  it('reads names, sizes, times and truncation', () => {
    const xml = `<ListBucketResult><IsTruncated>true</IsTruncated>${object('a/1', '0')}${object('a/2', '12')}`;
    expect(readObjectList(xml)).toEqual({
      objects: [
        { name: 'a/1', size: 0, written: WRITTEN },
        { name: 'a/2', size: 12, written: WRITTEN },
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
    expect(readObjectList(object(given, '1')).objects).toMatchObject([{ name, size: 1 }]);
  });

  it('returns NaN for an unreadable time', () => {
    expect(readObjectList(object('a', '1', 'lately')).objects).toMatchObject([{ written: NaN }]);
  });
});
