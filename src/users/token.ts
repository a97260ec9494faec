import { hash, randomBytes } from 'node:crypto';

/** Generates the token of a session or of a link: 256 random bits, in 43 characters. */
export const generateToken = (): string => randomBytes(32).toString('base64url');

/** Whether a text has the form of a token. */
export const isToken = (text: string): boolean => /^[\w-]{43}$/.test(text);

/** Returns the stored form of a token: its SHA-256 in hexadecimal. */
export const hashToken = (token: string): string => hash('sha256', token);
