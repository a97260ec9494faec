import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject, isoCBOR } from '@simplewebauthn/server/helpers';
import { ALGORITHMS } from './credentials';
import { type RelyingParty } from './relying-party.service';

/** Verifies answers of authenticators. Runs on a thread (`passkey-verifier.service.ts`): other files use only the types. */

/** Maximum length of a credential's id (WebAuthn) and of a key (an RSA key of 4096 bits has half of it), in bytes. */
const MAX_BYTES = 1023;

/** Maximum size of an authenticator's data, in bytes: an id, a key and a few extensions. The library decodes these several times. */
const MAX_DATA = 2500;

/** What an answer must refer to. */
export interface Expectation {
  challenge: string;
  party: RelyingParty;
}

/** The answer of an authenticator that has made a passkey; binary values are in base64url. */
export interface RegistrationAnswer {
  clientData: string;
  attestation: string;
}

/** The answer of an authenticator that has a passkey; binary values are in base64url. */
export interface PasskeyAnswer {
  credentialId: string;
  clientData: string;
  authenticatorData: string;
  signature: string;
  /** The user as the authenticator knows them; only discoverable passkeys name one. */
  userHandle?: string;
}

/** A credential that an authenticator has made. */
export interface NewCredential {
  credentialId: string;
  publicKey: string;
  signCount: number;
  backedUp: boolean;
}

/** What a passkey has proved by its signature. */
export type ProvenAnswer = Pick<NewCredential, 'signCount' | 'backedUp'>;

/** Returns the new credential of an answer; undefined for an answer that is malformed or refers to something else. */
export async function verifyRegistration(
  { clientData, attestation }: RegistrationAnswer,
  { challenge, party }: Expectation,
): Promise<NewCredential | undefined> {
  try {
    const attestationObject = withoutStatement(attestation);
    // The id is read from the authenticator's data.
    const id = 'unread';
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON: clientData, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: [...ALGORITHMS],
    });
    if (!registrationInfo) return undefined;
    const { credential, credentialBackedUp: backedUp } = registrationInfo;
    const size = Buffer.from(credential.id, 'base64url').length;
    if (size === 0 || size > MAX_BYTES || credential.publicKey.length > MAX_BYTES) return undefined;
    const publicKey = Buffer.from(credential.publicKey).toString('base64url');
    return { credentialId: credential.id, publicKey, signCount: credential.counter, backedUp };
  } catch {
    return undefined;
  }
}

/**
 * Leaves out what the authenticator states of its make: nothing depends on it, and the library would parse its certificates and fetch what
 * these name.
 */
function withoutStatement(attestation: string): string {
  const object = decodeAttestationObject(new Uint8Array(Buffer.from(attestation, 'base64url')));
  const authData = object.get('authData');
  if (authData.length > MAX_DATA) throw new RangeError('The data of the authenticator is too large.');
  const unattested = new Map<string, string | Uint8Array | Map<string, never>>([
    ['fmt', 'none'],
    ['attStmt', new Map<string, never>()],
    ['authData', authData],
  ]);
  return Buffer.from(isoCBOR.encode(unattested)).toString('base64url');
}

/**
 * Returns the authenticator's counter of signatures if it has signed the challenge with a key; undefined for every other answer.
 * @param publicKey in base64url
 * @param needsVerification whether the authenticator must have verified its user, and not only their presence
 */
export async function verifyAnswer(
  answer: PasskeyAnswer,
  publicKey: string,
  { challenge, party, needsVerification }: Expectation & { needsVerification: boolean },
): Promise<ProvenAnswer | undefined> {
  const { credentialId: id, clientData: clientDataJSON, authenticatorData, signature } = answer;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        ...{ id, rawId: id, type: 'public-key', clientExtensionResults: {} },
        response: { clientDataJSON, authenticatorData, signature },
      },
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      // The counter is checked with the row locked, and only for a right signature.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
      requireUserVerification: needsVerification,
    });
    if (!verified) return undefined;
    return {
      signCount: authenticationInfo.newCounter,
      backedUp: authenticationInfo.credentialBackedUp,
    };
  } catch {
    return undefined;
  }
}
