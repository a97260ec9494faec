import { randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
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
  const hash = await derive(password, salt, HASH_BYTES, {
    N: cost,
    r: BLOCK_SIZE,
    p: PARALLELIZATION,
    // scrypt needs 128 · N · r bytes; Node's default limit is 32 MiB.
    maxmem: 2 * 128 * cost * BLOCK_SIZE,
  });
  const parameters = ['scrypt', cost, BLOCK_SIZE, PARALLELIZATION];
  return [...parameters, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
