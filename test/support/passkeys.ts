import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { type RequestOptions } from '../../src/second-factors/passkeys/passkey-checks.service';
import { type CreationOptions } from '../../src/second-factors/passkeys/passkeys.service';
import { type KeepingBrowser, signInBrowser } from './browser';
import { recoveryCodesOf } from './factors';
import { type PageAnswer } from './sessions';
import { type World } from './world';

/** The address of a service whose passkeys are tested over HTTP. */
export const PASSKEY_ORIGIN = 'https://tracker.example.com';

/** Bits of the authenticator's data: the user was present, was verified; a credential is attached. */
const [PRESENT, VERIFIED, ATTACHED] = [0x01, 0x04, 0x40];

/** What an authenticator, or a browser, does differently from a right one. */
export interface Deviation {
  type?: string;
  origin?: string;
  rpId?: string;
  challenge?: string;
  crossOrigin?: true;
  isPresent?: false;
  isVerified?: false;
  signCount?: number;
  credentialId?: string;
  userHandle?: string;
  /** Changes the signature, or the attestation. */
  mangle?: (bytes: Buffer) => Buffer;
  /** The format of an attestation and its statement. */
  attestation?: readonly [format: string, statement: Buffer];
}

type Fields = Record<string, string>;

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

/** A software authenticator with one ES256 passkey, and the browser before it. */
export class TestAuthenticator {
  readonly credentialId = randomBytes(32).toString('base64url');
  private readonly publicKey: KeyObject;
  private readonly privateKey: KeyObject;
  private userHandle = '';
  private signCount = 0;

  constructor(private readonly hasCounter = true) {
    ({ publicKey: this.publicKey, privateKey: this.privateKey } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
    }));
  }

  /** Makes the passkey, and returns the fields of the form. */
  create(options: CreationOptions, deviation: Deviation = {}): Fields {
    this.userHandle = options.user.id;
    const id = Buffer.from(deviation.credentialId ?? this.credentialId, 'base64url');
    const credential = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, this.coseKey()]);
    const authData = Buffer.concat([this.authenticatorData(options.rp.id, ATTACHED, deviation), credential]);
    const [format, statement] = deviation.attestation ?? ['none', cborMap([])];
    const attestation = cborMap([
      [cborText('fmt'), cborText(format)],
      [cborText('attStmt'), statement],
      [cborText('authData'), cborBytes(authData)],
    ]);
    return {
      name: 'My phone',
      clientData: clientData('webauthn.create', options.challenge, deviation).toString('base64url'),
      attestation: (deviation.mangle?.(attestation) ?? attestation).toString('base64url'),
      transports: 'internal,hybrid',
    };
  }

  /** Uses the passkey, and returns the fields of the form. */
  get(options: RequestOptions, deviation: Deviation = {}): Fields {
    const data = clientData('webauthn.get', options.challenge, deviation);
    const authData = this.authenticatorData(options.rpId, 0, deviation);
    const signature = sign('sha256', Buffer.concat([authData, sha256(data)]), this.privateKey);
    return {
      credentialId: deviation.credentialId ?? this.credentialId,
      clientData: data.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: (deviation.mangle?.(signature) ?? signature).toString('base64url'),
      userHandle: deviation.userHandle ?? this.userHandle,
    };
  }

  private authenticatorData(rpId: string, flags: number, deviation: Deviation): Buffer {
    if (this.hasCounter) this.signCount++;
    const present = deviation.isPresent === false ? 0 : PRESENT;
    const verified = deviation.isVerified === false ? 0 : VERIFIED;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(deviation.signCount ?? this.signCount);
    return Buffer.concat([
      sha256(deviation.rpId ?? rpId),
      Buffer.from([flags | present | verified]),
      counter,
    ]);
  }

  /** The public key in the form of COSE: EC2, ES256, P-256. */
  private coseKey(): Buffer {
    const { x = '', y = '' } = this.publicKey.export({ format: 'jwk' });
    return cborMap([
      [Buffer.from([0x01]), Buffer.from([0x02])],
      [Buffer.from([0x03]), Buffer.from([0x26])],
      [Buffer.from([0x20]), Buffer.from([0x01])],
      [Buffer.from([0x21]), cborBytes(Buffer.from(x, 'base64url'))],
      [Buffer.from([0x22]), cborBytes(Buffer.from(y, 'base64url'))],
    ]);
  }
}

/** Returns what the browser needs to use a passkey, according to a page. */
export const optionsIn = (answer: PageAnswer): RequestOptions => describedIn(answer) as RequestOptions;

/** Returns what the browser needs to make a passkey, according to a page. */
export const creationOptionsIn = (answer: PageAnswer): CreationOptions =>
  describedIn(answer) as CreationOptions;

function describedIn({ text }: PageAnswer): unknown {
  const [, json] = /data-passkey="([^"]*)"/.exec(text) ?? [];
  if (json === undefined) throw new Error('The page has no form for a passkey.');
  return JSON.parse(json.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

/** A user with a passkey. */
export interface PasskeyUser {
  browser: KeepingBrowser;
  authenticator: TestAuthenticator;
  recoveryCodes: string[];
}

/** Signs a user in, and adds a passkey. */
export async function addPasskey(
  world: World,
  userId: number,
  authenticator = new TestAuthenticator(),
): Promise<PasskeyUser> {
  const browser = await signInBrowser(world, userId);
  const { text } = await submitPasskey(browser, authenticator);
  return { browser, authenticator, recoveryCodes: recoveryCodesOf(text) };
}

/** Adds a passkey in a browser in which its user has signed in. */
export async function submitPasskey(
  browser: KeepingBrowser,
  authenticator: TestAuthenticator,
  deviation?: Deviation,
): Promise<PageAnswer> {
  const options = creationOptionsIn(await browser.open('/account/factors'));
  return browser.submit('/account/factors/passkeys', authenticator.create(options, deviation));
}

function clientData(
  type: string,
  challenge: string,
  { type: otherType, challenge: otherChallenge, origin = PASSKEY_ORIGIN, crossOrigin }: Deviation,
): Buffer {
  const data = { type: otherType ?? type, challenge: otherChallenge ?? challenge, origin };
  return Buffer.from(JSON.stringify({ ...data, crossOrigin: crossOrigin ?? false }));
}

const uint16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length]);
  return length < 256
    ? Buffer.from([(major << 5) | 24, length])
    : Buffer.concat([Buffer.from([(major << 5) | 25]), uint16(length)]);
}

/** Encodes bytes in CBOR. */
export const cborBytes = (bytes: Buffer): Buffer => Buffer.concat([cborHead(2, bytes.length), bytes]);

/** Encodes a text in CBOR. */
export const cborText = (text: string): Buffer =>
  Buffer.concat([cborHead(3, Buffer.byteLength(text)), Buffer.from(text)]);

/** Encodes a map in CBOR, whose keys and values are encoded. */
export const cborMap = (entries: readonly (readonly [key: Buffer, value: Buffer])[]): Buffer =>
  Buffer.concat([cborHead(5, entries.length), ...entries.flat()]);
