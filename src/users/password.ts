import { randomBytes, scrypt, type ScryptOptions } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

const COST = { N: 2 ** 15, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** scrypt needs 128 · N · r bytes; Node's default limit is 32 MiB. */
const MAX_MEMORY = 2 * 128 * COST.N * COST.r;

/** Returns a salted scrypt hash of a password with its parameters: `scrypt$N$r$p$salt$hash`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, { ...COST, maxmem: MAX_MEMORY });
  const parts = ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')];
  return parts.join('$');
}
