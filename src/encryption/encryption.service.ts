import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets for the database. Each encrypted text contains the id of its key, so that keys can be rotated: the first key
 * encrypts, all keys decrypt.
 */
export class EncryptionService {
  private readonly keys: Map<string, Buffer>;
  private readonly current: { id: string; key: Buffer };

  /** @param keys 32 bytes each; the first encrypts */
  constructor(keys: readonly Buffer[]) {
    const [first] = keys;
    if (!first) throw new Error('No encryption key');
    this.keys = new Map(keys.map((key) => [keyId(key), key]));
    this.current = { id: keyId(first), key: first };
  }

  /** Returns `keyId.base64url(iv, ciphertext, tag)`. */
  encrypt(text: string): string {
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.current.key, iv);
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const sealed = Buffer.concat([iv, ciphertext, cipher.getAuthTag()]);
    return `${this.current.id}.${sealed.toString('base64url')}`;
  }

  /** Id of the encrypting key: texts encrypted with it start with the id and a dot. */
  get currentKeyId(): string {
    return this.current.id;
  }

  /** Returns the id of an encrypted text's key. */
  keyIdOf(encrypted: string): string {
    return encrypted.split('.', 1)[0] ?? '';
  }

  /** Whether the key of an encrypted text is configured. */
  canDecrypt(encrypted: string): boolean {
    return this.keys.has(this.keyIdOf(encrypted));
  }

  /** Whether a text is encrypted with the current key. */
  isCurrent(encrypted: string): boolean {
    return this.keyIdOf(encrypted) === this.current.id;
  }

  /** Decrypts a text; undefined for none, and when its key is missing or it was tampered with. */
  tryDecrypt(encrypted: string | null): string | undefined {
    if (encrypted === null || !this.canDecrypt(encrypted)) return undefined;
    try {
      return this.decrypt(encrypted);
    } catch {
      return undefined;
    }
  }

  /** Decrypts a text. Throws when its key is missing or the text was tampered with. */
  decrypt(encrypted: string): string {
    const [id = '', payload = ''] = encrypted.split('.');
    const key = this.keys.get(id);
    if (!key) throw new Error(`The encryption key ${id} is not configured`);
    const sealed = Buffer.from(payload, 'base64url');
    const decipher = createDecipheriv(ALGORITHM, key, sealed.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    const ciphertext = sealed.subarray(IV_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  }
}

/** Identifies a key without revealing it. */
const keyId = (key: Buffer): string => createHash('sha256').update(key).digest('hex').slice(0, 8);
