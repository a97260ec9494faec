import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, EnvironmentError } from '../config/environment';

const KEY_BYTES = 32;
const KEY_FILE = 'encryption.key';
const MEMORY = 'sqlite::memory:';

/**
 * The keys that secrets are encrypted with: those of ENCRYPTION_KEY, or for the embedded database one in a file beside it,
 * made when there is none.
 * @throws EnvironmentError on a server database without a key
 */
export function encryptionKeys({ ENCRYPTION_KEY, DATABASE_URL, isEmbeddedDatabase }: Environment): Buffer[] {
  if (ENCRYPTION_KEY) return ENCRYPTION_KEY.split(',').map(decodeKey);
  if (DATABASE_URL === MEMORY) return [randomBytes(KEY_BYTES)];
  if (isEmbeddedDatabase) return [keyInFile(join(dirname(DATABASE_URL.slice('sqlite:'.length)), KEY_FILE))];
  throw new EnvironmentError([
    'ENCRYPTION_KEY must be set with a MySQL or MariaDB database; make one with: openssl rand -base64 32',
  ]);
}

/** Whether a text is 32 bytes in base64. */
export const isEncryptionKey = (text: string): boolean =>
  /^[A-Za-z0-9+/]{43}=$/.test(text.trim()) && decodeKey(text).length === KEY_BYTES;

const decodeKey = (text: string): Buffer => Buffer.from(text.trim(), 'base64');

function keyInFile(path: string): Buffer {
  if (!existsSync(path)) createKeyFile(path);
  const text = readFileSync(path, 'utf8');
  if (!isEncryptionKey(text)) throw new EnvironmentError([`${path} does not hold an encryption key`]);
  return decodeKey(text);
}

/** Makes the file whole or not at all, readable by nobody else; one that another process has just made stays. */
function createKeyFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${randomUUID()}`;
  writeFileSync(partial, `${randomBytes(KEY_BYTES).toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(partial);
  }
}
