import { hashToken } from '../../users/token';
import { type PasskeyRow } from '../data/passkey.repository';

/** The algorithms of keys, the preferred one first: ES256, EdDSA, RS256. */
export const ALGORITHMS: readonly number[] = [-7, -8, -257];

/** Returns the stored form of a credential's id, however its base64url is written. */
export const hashCredentialId = (credentialId: string): string =>
  hashToken(Buffer.from(credentialId, 'base64url').toString('base64url'));

/** Returns the user as authenticators know them: one passkey of a user replaces another on the same authenticator. */
export const userHandleOf = (userId: number): string => Buffer.from(String(userId)).toString('base64url');

/** A credential as browsers take it; the id is in base64url. */
export interface CredentialDescriptor {
  type: 'public-key';
  id: string;
  transports?: string[];
}

export const toDescriptor = ({ credentialId: id, transports }: PasskeyRow): CredentialDescriptor => ({
  type: 'public-key',
  id,
  transports: transports === '' ? undefined : transports.split(','),
});

const TRANSPORTS = ['ble', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

/** Returns the stored form of how a browser reaches an authenticator; unknown ways are left out. */
export const knownTransports = (given: string): string =>
  TRANSPORTS.filter((transport) => given.split(',').includes(transport)).join();
