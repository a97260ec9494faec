import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords as authenticator apps generate them: RFC 6238 with SHA-1, 6 digits and steps of 30 seconds. */

const STEP_MS = 30_000;
const DIGITS = 6;
/** As long as the digest, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** A longer name would not fit into a QR code. */
const MAX_LABEL = 40;

export const generateTotpSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** Returns the step of a time in milliseconds since 1970. */
export const stepAt = (time: number): number => Math.floor(time / STEP_MS);

/** Returns the code of a step. */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const number = digest.readUInt32BE(digest.readUInt8(digest.length - 1) & 0x0f) & 0x7fffffff;
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0');
}

/**
 * Returns the step of a code: the current one, or the one before or after it, because clocks differ.
 * @param lastStep the last step whose code was accepted; the code of it and of those before is refused
 */
export function findStep(secret: Buffer, code: string, now: number, lastStep: number): number | undefined {
  const current = stepAt(now);
  return [current, current - 1, current + 1].find(
    (step) => step > lastStep && isEqual(codeAt(secret, step), code),
  );
}

/** Returns the secret as people type it into their app. */
export function toBase32(secret: Buffer): string {
  const bits = [...secret].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  const digits = bits.match(/.{1,5}/g) ?? [];
  return digits.map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** Returns the address that apps read from a QR code. */
export function totpUri(secret: Buffer, issuer: string, account: string): string {
  const [by, of] = [issuer, account].map((text) =>
    encodeURIComponent([...text].slice(0, MAX_LABEL).join('')),
  );
  return `otpauth://totp/${by}:${of}?secret=${toBase32(secret)}&issuer=${by}`;
}

function isEqual(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Returns a code as the factors have it: without spaces, and in the usual digits where an input method has entered full-width ones. */
export const normalizeCode = (typed: string): string => typed.normalize('NFKC').replace(/\s/g, '');
