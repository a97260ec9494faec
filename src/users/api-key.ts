import { createHash, hash, randomBytes } from 'node:crypto';

const PREFIX = 'pms_';
const SECRET_LENGTH = 43;
const CHECKSUM_LENGTH = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 248 is the largest multiple of 62 in a byte; larger bytes would make some characters more likely. */
const UNBIASED = 248;

/** Generates a random key: prefix, 43 characters (256 bits) and a checksum that detects typing mistakes without a query. */
export function generateApiKey(): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of randomBytes(SECRET_LENGTH)) {
      if (byte < UNBIASED && secret.length < SECRET_LENGTH) secret += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  return PREFIX + secret + checksum(secret);
}

/** Whether a text is a well-formed key. Keys chosen by an operator have no prefix and no checksum. */
export function isPlausibleApiKey(key: string): boolean {
  if (!/^[\x21-\x7e]{32,255}$/.test(key)) return false;
  if (!key.startsWith(PREFIX)) return true;
  const secret = key.slice(PREFIX.length, -CHECKSUM_LENGTH);
  return key.slice(-CHECKSUM_LENGTH) === checksum(secret);
}

/** Returns the stored form of a key: its SHA-256 in hexadecimal. */
export const hashApiKey = (key: string): string => hash('sha256', key);

function checksum(secret: string): string {
  let number = createHash('sha256').update(PREFIX).update(secret).digest().readUIntBE(0, 6);
  let text = '';
  for (let position = 0; position < CHECKSUM_LENGTH; position++) {
    text += ALPHABET.charAt(number % ALPHABET.length);
    number = Math.floor(number / ALPHABET.length);
  }
  return text;
}
