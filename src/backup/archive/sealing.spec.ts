import fc from 'fast-check';
import { BackupError, DamagedBackupError } from '../backup.error';
import { isSealed, seal, unseal } from './sealing';

const CHEAP = 4;
const CHUNK = 64 * 1024;

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const sealed = (bytes: Buffer, passphrase = 'secret', size = 1000): Promise<Buffer> =>
  collect(seal(passphrase, CHEAP)(inPieces(bytes, size)));
const unsealed = (bytes: Buffer, passphrase = 'secret', size = 1000): Promise<Buffer> =>
  collect(unseal(inPieces(bytes, size), passphrase));

describe('unseal', () => {
  it('decrypts what seal has encrypted, in chunks of any length', async () => {
    const lengths = fc.oneof(
      fc.nat(3000),
      fc.constantFrom(0, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 7),
    );
    const pieces = fc.integer({ min: 1, max: 200_000 });
    await fc.assert(
      fc.asyncProperty(lengths, pieces, pieces, async (length, writing, reading) => {
        const bytes = Buffer.alloc(length, 'content');
        const writes = Math.max(writing, Math.ceil(length / 100));
        const encrypted = await sealed(bytes, 'secret', writes);
        expect(isSealed(encrypted)).toBe(true);
        const reads = Math.max(reading, Math.ceil(encrypted.length / 100));
        expect((await unsealed(encrypted, 'secret', reads)).equals(bytes)).toBe(true);
      }),
      { seed: 1, numRuns: 40 },
    );
  });

  it('refuses a stream with a changed byte or a premature end', async () => {
    const encrypted = await sealed(Buffer.alloc(2 * CHUNK + 100, 'content'), 'secret', CHUNK);
    // Excludes the cost of the key: a changed cost would only be computed.
    const positions = fc.nat(encrypted.length - 1).filter((position) => position !== 10);
    await fc.assert(
      fc.asyncProperty(positions, fc.integer({ min: 1, max: 255 }), async (position, bits) => {
        const changed = Buffer.from(encrypted);
        changed.writeUInt8(changed.readUInt8(position) ^ bits, position);
        if (isSealed(changed)) await expect(unsealed(changed, 'secret', CHUNK)).rejects.toThrow(BackupError);
        const cut = encrypted.subarray(0, position);
        await expect(unsealed(cut, 'secret', CHUNK)).rejects.toThrow(BackupError);
      }),
      { seed: 1, numRuns: 40 },
    );
  });

  it('refuses a stream with a missing, repeated or moved chunk', async () => {
    const encrypted = await sealed(Buffer.alloc(3 * CHUNK, 'content'), 'secret', CHUNK);
    const size = CHUNK + 16;
    const header = encrypted.subarray(0, encrypted.length - 3 * size);
    const [a, b, c] = [0, 1, 2].map((number) =>
      encrypted.subarray(header.length + number * size, header.length + (number + 1) * size),
    ) as [Buffer, Buffer, Buffer];
    for (const chunks of [
      [a, c],
      [a, b],
      [b, a, c],
      [a, b, b, c],
      [a, b, c, c],
    ]) {
      const changed = Buffer.concat([header, ...chunks]);
      await expect(unsealed(changed, 'secret', CHUNK)).rejects.toThrow(BackupError);
    }
  });

  it('refuses another passphrase and accepts another Unicode form of the same one', async () => {
    const encrypted = await sealed(Buffer.from('content'), 'caf\u00e9');
    await expect(unsealed(encrypted, 'cafe')).rejects.toThrow('The passphrase is wrong');
    expect((await unsealed(encrypted, 'cafe\u0301')).toString()).toBe('content');
  });

  it.each([0, 1, 3, 21, 40, 255])('refuses a key derivation cost of 2 to the power of %d', async (cost) => {
    const encrypted = await sealed(Buffer.from('content'));
    encrypted.writeUInt8(cost, 10);
    await expect(unsealed(encrypted)).rejects.toThrow(DamagedBackupError);
  });
});
