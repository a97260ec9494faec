import { randomBytes } from 'node:crypto';
import { hashToken } from '../users/token';

export const RECOVERY_CODES = 10;
/** Without letters that are taken for others. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/** Of five random bits each. */
const LENGTH = 12;

/** Generates the recovery codes of a user: 60 random bits each, as `xxxx-xxxx-xxxx`. */
export const generateRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, generateCode);

/** Returns the stored form of a code: the SHA-256 of its digits, however they were typed. */
export const hashRecoveryCode = (code: string): string =>
  hashToken(code.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1'));

function generateCode(): string {
  const digits = [...randomBytes(LENGTH)].map((byte) => DIGITS[byte % DIGITS.length]).join('');
  return digits.replace(/(.{4})(?=.)/g, '$1-');
}
