import { ARCHIVE_ENTRIES } from './archive-format';
import { jsonEntry, newContents } from './archive-entries';
import { isShortDescription } from './record-limits';

describe('jsonEntry', () => {
  const withLost = (count: number): object => {
    const contents = newContents();
    contents.files.lost = Array.from({ length: count }, (_, index) => 1_000_000 + index);
    return contents;
  };
  const textOf = (value: object): string =>
    Buffer.concat([...jsonEntry(ARCHIVE_ENTRIES.contents, value)].slice(1)).toString();

  it('writes what can be read again', () => {
    const text = textOf(withLost(60_000));
    expect(text).toContain('1059999');
    expect(isShortDescription(text)).toBe(true);
  });

  it.each([
    ['1 MiB', withLost(80_000)],
    ['100,000 values', { list: Array(110_000).fill(0) }],
  ])('refuses more than %s, and names the entry', (_limit, value) => {
    expect(() => textOf(value)).toThrow("The archive's contents.json is too large");
  });
});
