import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, EnvironmentError } from '../config/environment';

const KEY_BYTES = 32;
const KEY_FILE = 'encryption.key';
const MEMORY = 'sqlite::memory:';

/** The keys that secrets are encrypted with: the first encrypts, all decrypt. */
export interface EncryptionKeys {
  keys: Buffer[];
  /** Where they are stored, for messages. */
  place: string;
  /**
   * Writes a newly generated key to its file. Called when it is certain that no other key is needed, and before the first
   * encryption.
   */
  keep: () => void;
}

/**
 * The keys of ENCRYPTION_KEY; without it, for the embedded database, the key in a file beside it, generated when missing.
 * @throws EnvironmentError on a server database without a key, and for a file without one
 */
export function encryptionKeys({
  ENCRYPTION_KEY,
  DATABASE_URL,
  isEmbeddedDatabase,
}: Environment): EncryptionKeys {
  if (ENCRYPTION_KEY) return kept(ENCRYPTION_KEY.split(',').map(decodeKey), 'ENCRYPTION_KEY');
  if (DATABASE_URL === MEMORY) return kept([randomBytes(KEY_BYTES)], 'this process');
  if (isEmbeddedDatabase) return keyInFile(join(dirname(DATABASE_URL.slice('sqlite:'.length)), KEY_FILE));
  throw new EnvironmentError([
    'ENCRYPTION_KEY must be set with a MySQL or MariaDB database; make one with: openssl rand -base64 32',
  ]);
}

/** Whether a text is 32 bytes in base64. */
export const isEncryptionKey = (text: string): boolean =>
  /^[A-Za-z0-9+/]{43}=$/.test(text.trim()) && decodeKey(text).length === KEY_BYTES;

const decodeKey = (text: string): Buffer => Buffer.from(text.trim(), 'base64');

const kept = (keys: Buffer[], place: string): EncryptionKeys => ({ keys, place, keep: () => undefined });

function keyInFile(path: string): EncryptionKeys {
  if (!existsSync(path)) {
    const key = randomBytes(KEY_BYTES);
    return { keys: [key], place: path, keep: () => createKeyFile(path, key) };
  }
  const text = readFileSync(path, 'utf8');
  if (!isEncryptionKey(text)) throw new EnvironmentError([`${path} does not hold an encryption key`]);
  return kept([decodeKey(text)], path);
}

/** Creates the file atomically, readable by nobody else. Keeps a file that another process has just created. */
function createKeyFile(path: string, key: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${randomUUID()}`;
  writeFileSync(partial, `${key.toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new EnvironmentError([`${path} has just been made by another process; start again`]);
  } finally {
    unlinkSync(partial);
  }
}
