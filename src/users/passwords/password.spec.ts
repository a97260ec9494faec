import { scryptSync } from 'node:crypto';
import { readEnvironment } from '../../config/environment';
import { hashPassword } from './password';
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
