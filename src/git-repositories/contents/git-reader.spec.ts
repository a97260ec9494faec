import { FieldSplitter, textOf } from './git-reader.service';

describe(FieldSplitter.name, () => {
  it.each([1, 2, 3, 100])('splits chunks of %d bytes into fields', (size) => {
    const splitter = new FieldSplitter(5);
    const bytes = Buffer.from('one\0\0twenty\0ünï\0rest');
    const fields = [];
    for (let at = 0; at < bytes.length; at += size)
      fields.push(...splitter.add(bytes.subarray(at, at + size)));
    expect(fields).toEqual([
      { text: 'one', isCut: false },
      { text: '', isCut: false },
      { text: 'twent', isCut: true },
      { text: 'ünï', isCut: false },
    ]);
  });
});

describe(textOf.name, () => {
  it.each([
    ['aé', 2, 'a'],
    ['aé', 3, 'aé'],
    ['a漢', 2, 'a'],
    ['a漢', 3, 'a'],
    ['a😀b', 4, 'a'],
    ['a😀b', 5, 'a😀'],
    ['', 0, ''],
  ])('cuts %j at %d bytes to %j', (text, length, expected) => {
    expect(textOf(Buffer.from(text).subarray(0, length), true)).toBe(expected);
  });

  it('replaces invalid UTF-8 with U+FFFD', () => {
    expect(textOf(Buffer.from([0x61, 0xff, 0x62]), false)).toBe('a\ufffdb');
  });
});
