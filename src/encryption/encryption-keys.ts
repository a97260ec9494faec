import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, EnvironmentError } from '../config/environment';

const KEY_BYTES = 32;
const KEY_FILE = 'encryption.key';
const MEMORY = 'sqlite::memory:';

/** The encryption keys of secrets: the first encrypts, all decrypt. */
export interface EncryptionKeys {
  keys: Buffer[];
  /** Where they are stored, for messages. */
  place: string;
  /** Writes a newly generated key to its file. Called once it is certain that no other key is needed, and before the first encryption. */
  keep: () => void;
}

/**
 * Returns the keys of ENCRYPTION_KEY; without it, for the embedded database, the key in a file beside it, generated when missing.
 * @param missing the key for a missing file
 * @throws EnvironmentError on a server database without a key, and for a file without one
 */
export function encryptionKeys(environment: Environment, missing?: Buffer): EncryptionKeys {
  const stored = storedKeys(environment);
  if (stored) return { ...stored, keep: () => undefined };
  const key = missing ?? randomBytes(KEY_BYTES);
  if (environment.DATABASE_URL === MEMORY) {
    return { keys: [key], place: 'this process', keep: () => undefined };
  }
  if (environment.isEmbeddedDatabase) {
    const place = keyFile(environment);
    return { keys: [key], place, keep: () => createKeyFile(place, key) };
  }
  throw new EnvironmentError([
    'ENCRYPTION_KEY must be set with a MySQL or MariaDB database; generate one with: openssl rand -base64 32',
  ]);
}

/**
 * Returns the existing keys: those of ENCRYPTION_KEY, or the one in the file beside the embedded database.
 * @throws EnvironmentError for a file without a key
 */
export function storedKeys(environment: Environment): Omit<EncryptionKeys, 'keep'> | undefined {
  const { ENCRYPTION_KEY, DATABASE_URL, isEmbeddedDatabase } = environment;
  if (ENCRYPTION_KEY) return { keys: parseKeys(ENCRYPTION_KEY), place: 'ENCRYPTION_KEY' };
  if (!isEmbeddedDatabase || DATABASE_URL === MEMORY) return undefined;
  const place = keyFile(environment);
  if (!existsSync(place)) return undefined;
  const text = readFileSync(place, 'utf8');
  if (!isEncryptionKey(text)) throw new EnvironmentError([`${place} does not contain an encryption key`]);
  return { keys: [decodeKey(text)], place };
}

/** Parses keys separated by commas. */
export const parseKeys = (text: string): Buffer[] => text.split(',').map(decodeKey);

/** Returns the path of the key file beside the embedded database. */
export const keyFile = ({ DATABASE_URL }: Environment): string =>
  join(dirname(DATABASE_URL.slice('sqlite:'.length)), KEY_FILE);

/** Generates a random key in the format of ENCRYPTION_KEY. */
export const generateEncryptionKey = (): string => randomBytes(KEY_BYTES).toString('base64');

/** Whether a text is 32 bytes in base64. */
export const isEncryptionKey = (text: string): boolean =>
  /^[A-Za-z0-9+/]{43}=$/.test(text.trim()) && decodeKey(text).length === KEY_BYTES;

const decodeKey = (text: string): Buffer => Buffer.from(text.trim(), 'base64');

/** Creates the file atomically, readable only by its owner. @throws EnvironmentError when another process has just created it */
function createKeyFile(path: string, key: Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${randomUUID()}`;
  writeFileSync(partial, `${key.toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(partial, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new EnvironmentError([`${path} was just created by another process: start the service again`]);
  } finally {
    unlinkSync(partial);
  }
}
