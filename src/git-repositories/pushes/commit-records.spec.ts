import { Readable } from 'node:stream';
import { CommitRecords, MAX_FIELD, readRecords } from './commit-records';

describe('the reader of commit records', () => {
  const read = (text: string, chunkSize: number): string[][] => {
    const records = new CommitRecords(2);
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length; start += chunkSize)
      records.add(bytes.subarray(start, start + chunkSize));
    return records.records;
  };

  it.each([1, 2, 3, 100])('reads records from chunks of %i bytes', (size) => {
    expect(read('a\0é\n\0\nb\0\0\nc\0', size)).toEqual([
      ['a', 'é\n'],
      ['b', ''],
    ]);
  });

  it('truncates a long field', () => {
    const [record] = read(`a\0${'x'.repeat(MAX_FIELD + 10)}\0`, 1000);
    expect(record).toEqual(['a', 'x'.repeat(MAX_FIELD)]);
  });

  it('stops at the maximum number of bytes', async () => {
    const records = new CommitRecords(1);
    const chunks = Array.from({ length: 10 }, () => Buffer.from('abc\0'));
    await expect(readRecords(Readable.from(chunks), records, 9)).resolves.toBe(false);
    expect(records.records).toHaveLength(3);
    await expect(readRecords(Readable.from(chunks), records, 40)).resolves.toBe(true);
  });
});
