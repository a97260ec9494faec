import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { readTar, tarEnd, tarStream, type WrittenContent } from './tar';

const SIZE = 1500;

/** Writes one entry of `SIZE` bytes, and reads it again. */
async function roundTrip(content: Buffer): Promise<{ written: WrittenContent; read: Buffer }> {
  const blocks: Buffer[] = [];
  const entry = tarStream('files/1', SIZE, Readable.from([content]), new Date(0));
  let next = await entry.next();
  for (; !next.done; next = await entry.next()) blocks.push(next.value);
  const read: Buffer[] = [];
  for await (const { content: stored } of readTar(Readable.from([...blocks, tarEnd()]))) {
    for await (const chunk of stored()) read.push(chunk);
  }
  return { written: next.value, read: Buffer.concat(read) };
}

describe('tarStream', () => {
  it.each([
    ['whole', SIZE, true],
    ['shorter than it was', 700, false],
    ['empty', 0, false],
    ['longer than it was', SIZE + 9, false],
  ])('returns the digest of what is read again, for a file that is %s', async (_case, length, isComplete) => {
    const { written, read } = await roundTrip(Buffer.alloc(length, 'a'));
    expect(read).toHaveLength(SIZE);
    expect(written).toEqual({ sha256: createHash('sha256').update(read).digest('hex'), isComplete });
  });
});
