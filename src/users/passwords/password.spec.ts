import { scryptSync } from 'node:crypto';
import { readEnvironment } from '../../config/environment';
import { isCommonPassword } from './common-passwords';
import { costOf, hashPassword, verifyPassword } from './password';
import { PasswordHasherService } from './password-hasher.service';

const PASSWORD = 'correct horse battery staple';

describe(hashPassword.name, () => {
  it('returns the parameters, salt and hash of scrypt', async () => {
    const stored = await hashPassword(PASSWORD);
    expect(stored).toMatch(/^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/);
    const [, cost, blockSize, parallelization, salt, hash] = stored.split('$');
    const again = scryptSync(PASSWORD, Buffer.from(salt as string, 'base64url'), 32, {
      N: Number(cost),
      r: Number(blockSize),
      p: Number(parallelization),
      maxmem: 2 ** 27,
    });
    expect(again.toString('base64url')).toBe(hash);
  });

  it('returns a different hash of the same password each time', async () => {
    expect(await hashPassword(PASSWORD)).not.toBe(await hashPassword(PASSWORD));
  });

  it('is called with the full cost by the service', async () => {
    const hash = await new PasswordHasherService(readEnvironment({})).hash(PASSWORD);
    expect(hash).toMatch(/^scrypt\$32768\$/);
  });

  it('returns at most 255 characters for the longest password', async () => {
    expect((await hashPassword('🔑'.repeat(255))).length).toBeLessThanOrEqual(255);
  });
});

describe(verifyPassword.name, () => {
  it('accepts only the password of the hash, at any cost', async () => {
    for (const cost of [16, 1024]) {
      const stored = await hashPassword(PASSWORD, cost);
      expect(costOf(stored)).toBe(cost);
      expect(await verifyPassword(PASSWORD, stored)).toBe(true);
      expect(await verifyPassword(`${PASSWORD} `, stored)).toBe(false);
    }
  });
});

describe(isCommonPassword.name, () => {
  it.each(['password', 'PassWord', '12345678', 'qwertyuiop', 'iloveyou'])('finds %s', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it.each([PASSWORD, 'passw', 'constructor'])('does not find %s', (password) => {
    expect(isCommonPassword(password)).toBe(false);
  });
});
