import { randomBytes, scrypt, type ScryptOptions, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/** The cost parameter N of scrypt: a hash takes a tenth of a second. */
export const PASSWORD_COST = 2 ** 15;
const BLOCK_SIZE = 8;
const PARALLELIZATION = 1;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Returns a salted scrypt hash of a password with its parameters: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string, cost = PASSWORD_COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const parameters = { N: cost, r: BLOCK_SIZE, p: PARALLELIZATION };
  const hash = await derive(password, salt, HASH_BYTES, withMemory(parameters));
  const texts = ['scrypt', cost, BLOCK_SIZE, PARALLELIZATION];
  return [...texts, salt.toString('base64url'), hash.toString('base64url')].join('$');
}

/** Whether a password is the one of a stored hash. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [, cost = '', blockSize = '', parallelization = '', salt = '', hash = ''] = stored.split('$');
  const expected = Buffer.from(hash, 'base64url');
  const parameters = { N: Number(cost), r: Number(blockSize), p: Number(parallelization) };
  const actual = await derive(
    password,
    Buffer.from(salt, 'base64url'),
    expected.length,
    withMemory(parameters),
  );
  return timingSafeEqual(actual, expected);
}

/** Returns the cost of a stored hash. */
export const costOf = (stored: string): number => Number(stored.split('$')[1]);

/** scrypt needs 128 · N · r bytes; Node's default limit is 32 MiB. */
const withMemory = (parameters: { N: number; r: number; p: number }): ScryptOptions => ({
  ...parameters,
  maxmem: 2 * 128 * parameters.N * parameters.r,
});
