import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { BackupError, DamagedBackupError } from '../backup.error';

/**
 * Passphrase encryption: a header, followed by the content in chunks of 64 KiB, each encrypted with AES-256-GCM. The nonce of a chunk is
 * its number and whether it is the last one, so that chunks cannot be swapped or omitted and a missing end is detected. The key depends on
 * the random salt of the archive, and each nonce is used once.
 */

const MAGIC = Buffer.from('PMSBACKUP1');
const SALT_BYTES = 16;
const KEY_BYTES = 32;
const TAG_BYTES = 16;
const CHUNK_BYTES = 64 * 1024;
const ALGORITHM = 'aes-256-gcm';
/** scrypt's cost as a power of two: 128 MiB and half a second per attempt. */
const COST = 17;
/** The costs that are accepted from a file. */
const MIN_COST = 4;
const MAX_COST = 20;
const BLOCK_SIZE = 8;
const HEADER_BYTES = MAGIC.length + 1 + SALT_BYTES;

/** Whether a file that begins with these bytes is encrypted. */
export const isSealed = (start: Buffer): boolean => start.subarray(0, MAGIC.length).equals(MAGIC);

/**
 * Encrypts a stream.
 * @param cost cost of the key, as a power of two
 */
export function seal(
  passphrase: string,
  cost = COST,
): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  return async function* (source) {
    const header = Buffer.concat([MAGIC, Buffer.of(cost), randomBytes(SALT_BYTES)]);
    const key = await deriveKey(passphrase, header);
    yield header;
    for await (const { number, bytes, isLast } of chunks(source, CHUNK_BYTES)) {
      const cipher = createCipheriv(ALGORITHM, key, nonce(number, isLast));
      cipher.setAAD(header);
      yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    }
  };
}

/**
 * Decrypts a stream. Yields only authenticated content.
 * @throws BackupError for a wrong passphrase, DamagedBackupError for a stream that was changed or truncated
 */
export async function* unseal(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  let header: Buffer | undefined;
  let key: Buffer | undefined;
  const body = (async function* (): AsyncGenerator<Buffer> {
    let start = Buffer.alloc(0);
    for await (const chunk of source) {
      if (header) {
        yield chunk;
        continue;
      }
      start = Buffer.concat([start, chunk]);
      if (start.length < HEADER_BYTES) continue;
      header = start.subarray(0, HEADER_BYTES);
      key = await deriveKey(passphrase, header);
      yield start.subarray(HEADER_BYTES);
    }
  })();
  for await (const { number, bytes, isLast } of chunks(body, CHUNK_BYTES + TAG_BYTES)) {
    if (!header || !key || bytes.length < TAG_BYTES) throw new DamagedBackupError('it ends early');
    const decipher = createDecipheriv(ALGORITHM, key, nonce(number, isLast), { authTagLength: TAG_BYTES });
    decipher.setAAD(header);
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      yield Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
    } catch {
      if (number === 0)
        throw new BackupError('The passphrase is wrong, or the backup is damaged at its beginning.');
      throw new DamagedBackupError('it was changed or truncated');
    }
  }
}

async function deriveKey(passphrase: string, header: Buffer): Promise<Buffer> {
  const cost = header.readUInt8(MAGIC.length);
  if (cost < MIN_COST || cost > MAX_COST) throw new DamagedBackupError('its header cannot be read');
  const N = 2 ** cost;
  const salt = header.subarray(MAGIC.length + 1);
  // The same passphrase may be typed with differently composed letters.
  const password = passphrase.normalize('NFKC');
  return new Promise((resolve, reject) => {
    scrypt(
      password,
      salt,
      KEY_BYTES,
      { N, r: BLOCK_SIZE, p: 1, maxmem: 256 * N * BLOCK_SIZE },
      (error, key) => {
        if (error) reject(error);
        else resolve(key);
      },
    );
  });
}

function nonce(number: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeBigUInt64BE(BigInt(number), 3);
  bytes.writeUInt8(isLast ? 1 : 0, 11);
  return bytes;
}

/** Splits a stream into chunks of one size; the last one may be shorter, and is yielded even if it is empty. */
async function* chunks(
  source: AsyncIterable<Buffer>,
  size: number,
): AsyncGenerator<{ number: number; bytes: Buffer; isLast: boolean }> {
  let number = 0;
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of source) {
    parts.push(part);
    length += part.length;
    if (length <= size) continue;
    let bytes = Buffer.concat(parts);
    // A chunk that is exactly full may be the last.
    for (; bytes.length > size; bytes = bytes.subarray(size)) {
      yield { number: number++, bytes: bytes.subarray(0, size), isLast: false };
    }
    parts = [bytes];
    length = bytes.length;
  }
  yield { number, bytes: Buffer.concat(parts), isLast: true };
}
