import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { EncryptionService } from './encryption.service';

const key = (): Buffer => randomBytes(32);

describe('EncryptionService', () => {
  it('decrypts any encrypted text to the original', () => {
    const encryption = new EncryptionService([key()]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(encryption.decrypt(encryption.encrypt(text))).toBe(text);
      }),
    );
  });

  it('encrypts the secret of a webhook into at most 255 characters', () => {
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    expect(new EncryptionService([key()]).encrypt(secret).length).toBeLessThanOrEqual(255);
  });

  it('encrypts a text differently each time without revealing it', () => {
    const encryption = new EncryptionService([key()]);
    const [first, second] = [encryption.encrypt('whsec_secret'), encryption.encrypt('whsec_secret')];
    expect(first).not.toBe(second);
    const [, payload = ''] = first.split('.');
    expect(Buffer.from(payload, 'base64url').toString('latin1')).not.toContain('secret');
  });

  it('decrypts with any of its keys and encrypts with the first', () => {
    const [old, current] = [key(), key()];
    const before = new EncryptionService([old]);
    const both = new EncryptionService([current, old]);
    const after = new EncryptionService([current]);
    expect(both.decrypt(before.encrypt('text'))).toBe('text');
    expect(after.decrypt(both.encrypt('text'))).toBe('text');
    expect(() => before.decrypt(both.encrypt('text'))).toThrow('is not configured');
  });

  it('reports whether it has the key of a text', () => {
    const [own, other] = [new EncryptionService([key()]), new EncryptionService([key()])];
    expect(own.canDecrypt(own.encrypt('text'))).toBe(true);
    expect(own.canDecrypt(other.encrypt('text'))).toBe(false);
    expect(own.canDecrypt('')).toBe(false);
  });

  it('refuses a text with a single changed byte', () => {
    const encryption = new EncryptionService([key()]);
    const [id = '', payload = ''] = encryption.encrypt('whsec_secret').split('.');
    const sealed = Buffer.from(payload, 'base64url');
    for (let index = 0; index < sealed.length; index++) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      expect(() => encryption.decrypt(`${id}.${changed.toString('base64url')}`)).toThrow();
    }
  });

  it('refuses a text truncated at any length', () => {
    const encryption = new EncryptionService([key()]);
    const encrypted = encryption.encrypt('text');
    const [id = '', payload = ''] = encrypted.split('.');
    const sealed = Buffer.from(payload, 'base64url');
    for (let length = 0; length < sealed.length; length++) {
      const cut = sealed.subarray(0, length).toString('base64url');
      expect(() => encryption.decrypt(`${id}.${cut}`)).toThrow();
    }
  });

  it.each(['', '.', 'text', 'ffffffff.AAAA'])('refuses %j', (text) => {
    expect(() => new EncryptionService([key()]).decrypt(text)).toThrow();
  });

  it('needs a key', () => {
    expect(() => new EncryptionService([])).toThrow('No encryption key');
  });
});
