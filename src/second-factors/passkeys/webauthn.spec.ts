import {
  cborBytes,
  cborMap,
  cborText,
  PASSKEY_ORIGIN,
  TestAuthenticator,
} from '../../../test/support/passkeys';
import { verifyAnswer, verifyRegistration } from './webauthn';

const PARTY = { id: 'tracker.example.com', origin: PASSKEY_ORIGIN };
const EXPECTED = { challenge: 'Y2hhbGxlbmdl', party: PARTY };
/** What the form of a page accepts, in bytes. */
const SIZE = 7500;

const CREATION = {
  challenge: EXPECTED.challenge,
  rp: { id: PARTY.id, name: 'Space' },
  user: { id: 'MQ', name: 'robin', displayName: 'Robin' },
} as never;
const REQUEST = { challenge: EXPECTED.challenge, rpId: PARTY.id } as never;

/** Data of an authenticator with an extension. */
const extended = (extension: Buffer): Buffer => {
  const { authenticatorData = '' } = new TestAuthenticator().get(REQUEST);
  const data = Buffer.from(authenticatorData, 'base64url');
  data.writeUInt8(data.readUInt8(32) | 0x80, 32);
  return Buffer.concat([data, extension]);
};

function manyKeys(count: number): Buffer {
  return cborMap(Array.from({ length: count }, (_, key) => [cborText(`k${key}`), cborMap([])] as const));
}

const attested = (authData: Buffer): Buffer =>
  cborMap([
    [cborText('fmt'), cborText('none')],
    [cborText('attStmt'), cborMap([])],
    [cborText('authData'), cborBytes(authData)],
  ]);

const WORST: [string, Buffer][] = [
  ['nested lists', Buffer.alloc(SIZE, 0x81)],
  ['nested maps', Buffer.alloc(SIZE, 0xa1)],
  ['nested tags', Buffer.alloc(SIZE, 0xc1)],
  ['a list of empty maps', Buffer.concat([Buffer.from('99ffff', 'hex'), Buffer.alloc(SIZE, 0xa0)])],
  [
    'lists that claim to be large',
    Buffer.concat(Array<Buffer>(SIZE / 5).fill(Buffer.from('9affffffff', 'hex'))),
  ],
  ['texts that claim to be large', Buffer.concat([Buffer.from('99ffff', 'hex'), Buffer.alloc(SIZE, 0x79)])],
  ['an extension of many keys', attested(extended(manyKeys(300)))],
  ['an extension of too many keys', attested(extended(manyKeys(1000)))],
  ['an extension of nested maps', attested(extended(Buffer.alloc(2000, 0xa1)))],
];

/** The largest of them, in bytes. */
const LARGEST = Math.max(...WORST.map(([, { length }]) => length));

describe('the answer of a passkey', () => {
  it('proves the credential that it has made', async () => {
    const authenticator = new TestAuthenticator();
    const { clientData = '', attestation = '' } = authenticator.create(CREATION);
    const made = await verifyRegistration({ clientData, attestation }, EXPECTED);
    expect(made).toEqual({
      credentialId: authenticator.credentialId,
      publicKey: expect.stringMatching(/^[\w-]{100,110}$/),
      signCount: 1,
      backedUp: false,
    });
    const answer = authenticator.get(REQUEST) as never;
    const expected = { ...EXPECTED, needsVerification: true };
    expect(await verifyAnswer(answer, made?.publicKey ?? '', expected)).toEqual({
      signCount: 2,
      backedUp: false,
    });
    const { publicKey } = (await verifyRegistration(
      new TestAuthenticator().create(CREATION) as never,
      EXPECTED,
    )) as { publicKey: string };
    expect(await verifyAnswer(answer, publicKey, expected)).toBeUndefined();
  });

  it('is accepted without a request to what a certificate of the authenticator names', async () => {
    const fetched = vi.spyOn(globalThis, 'fetch');
    const statement = cborMap([[cborText('x5c'), cborBytes(Buffer.from('not a certificate'))]]);
    for (const format of ['packed', 'tpm', 'apple', 'android-safetynet', 'unheard-of']) {
      const fields = new TestAuthenticator().create(CREATION, { attestation: [format, statement] });
      expect(await verifyRegistration(fields as never, EXPECTED)).toBeDefined();
    }
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });

  describe('that is hostile', () => {
    afterEach(() => vi.restoreAllMocks());

    // How long that takes depends on the machine: 0.2 to 45 ms on a slow one, on a thread.
    it.each(WORST)(
      'is refused after at most one item and one copied byte per byte of a form if it has %s',
      async (_what, attestation) => {
        const { clientData = '' } = new TestAuthenticator().create(CREATION);
        const encoded = attestation.toString('base64url');
        // The decoder reads the first byte of each item in this way, and copies texts and byte strings.
        const items = vi.spyOn(DataView.prototype, 'getUint8');
        const copies = vi.spyOn(ArrayBuffer.prototype, 'slice');
        expect(await verifyRegistration({ clientData, attestation: encoded }, EXPECTED)).toBeUndefined();
        const bytes = copies.mock.results.map(({ value }) => (value as ArrayBuffer).byteLength);
        expect(items).toHaveBeenCalled();
        expect(items.mock.calls.length).toBeLessThanOrEqual(LARGEST);
        expect(bytes.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(LARGEST);
      },
    );
  });
});
