import { scryptSync } from 'node:crypto';
import { hashPassword } from './password';

const PASSWORD = 'correct horse battery staple';

describe(hashPassword.name, () => {
  it('says all it takes to check a password but the password', async () => {
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

  it('gives the same password another hash each time', async () => {
    expect(await hashPassword(PASSWORD)).not.toBe(await hashPassword(PASSWORD));
  });

  it('takes a password of any characters and fits the column', async () => {
    expect((await hashPassword('🔑'.repeat(255))).length).toBeLessThanOrEqual(255);
  });
});
