import { MAX_PASSKEYS } from '../../src/second-factors/passkeys/passkey-errors';
import { type CreationOptions } from '../../src/second-factors/passkeys/passkeys.service';
import { KeepingBrowser, signInBrowser } from '../support/browser';
import { addApp, codeNow, recoveryCodesOf, secretOf } from '../support/factors';
import {
  cborBytes,
  cborMap,
  cborText,
  creationOptionsIn,
  type Deviation,
  optionsIn,
  PASSKEY_ORIGIN,
  submitPasskey,
  TestAuthenticator,
} from '../support/passkeys';
import { ageSessions, PASSWORD, type PageAnswer } from '../support/sessions';
import { type Person, useWorld, type World } from '../support/world';

const FACTORS = '/account/factors';
const PASSKEYS = `${FACTORS}/passkeys`;
const OLD_MS = 11 * 60_000;

interface Factors {
  totp: object | null;
  passkeys: { id: number; name: string; created: string; lastUsed: string | null; backedUp: boolean }[];
  recoveryCodesLeft: number;
}

describe('a passkey', () => {
  const tested = useWorld({ PUBLIC_URL: PASSKEY_ORIGIN });
  let world: World;
  let person: Person;
  let browser: KeepingBrowser;

  beforeAll(() => {
    world = tested.world;
  });

  beforeEach(async () => {
    person = await world.addUser();
    browser = await signInBrowser(world, person.id);
  });

  const factors = async (): Promise<Factors> =>
    (await person.api.get<Factors>(`/users/${person.id}/secondFactors`)).body;

  const creationOptions = async (): Promise<CreationOptions> =>
    creationOptionsIn(await browser.open(FACTORS));

  const add = (deviation?: Deviation): Promise<PageAnswer> =>
    submitPasskey(browser, new TestAuthenticator(), deviation);

  const enterPassword = async (): Promise<PageAnswer> => {
    const { body } = await person.api.get<{ userId: string }>('/users/myself');
    return new KeepingBrowser(world).submit('/sign-in', { name: body.userId, password: PASSWORD });
  };

  it('is described to the browser without a request to load more than the script', async () => {
    const answer = await browser.open(FACTORS);
    expect(creationOptionsIn(answer)).toEqual({
      challenge: expect.stringMatching(/^[\w-]{100,400}$/),
      rp: { id: 'tracker.example.com', name: expect.any(String) },
      user: {
        id: expect.stringMatching(/^[\w-]+$/),
        name: expect.stringMatching(/^user/),
        displayName: person.name,
      },
      pubKeyCredParams: [-7, -8, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 600_000,
      excludeCredentials: [],
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
    });
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; script-src 'self'",
    );
    const [, path = ''] = /<script src="([^"]+)" defer/.exec(answer.text) ?? [];
    const script = await new KeepingBrowser(world).open(path);
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(script.text).toContain('navigator.credentials');
    const other = await browser.open('/account');
    expect(other.headers.get('content-security-policy')).not.toContain('script-src');
    expect(other.text).not.toContain('<script');
  });

  it('becomes a second factor with ten recovery codes, which are shown once', async () => {
    const { status, text } = await add();
    expect(status).toBe(200);
    expect(new Set(recoveryCodesOf(text)).size).toBe(10);
    expect(await factors()).toEqual({
      totp: null,
      passkeys: [
        {
          id: expect.any(Number),
          name: 'My phone',
          created: expect.any(String),
          lastUsed: null,
          backedUp: false,
        },
      ],
      recoveryCodesLeft: 10,
    });
    const page = await browser.open(FACTORS);
    expect(page.text).toContain('My phone');
    expect(recoveryCodesOf(page.text)).toEqual([]);
    expect((await enterPassword()).location).toMatch(/^\/sign-in\/second-factor/);
    const { body } = await person.api.get<{ secondFactor: string | null }[]>(`/users/${person.id}/sessions`);
    expect(body.map(({ secondFactor }) => typeof secondFactor)).toEqual(['string']);
  });

  it('shares the recovery codes with an app and with other passkeys', async () => {
    await add();
    expect(await add()).toMatchObject({ status: 303, location: FACTORS });
    await browser.submit(`${FACTORS}/begin`);
    const code = codeNow(await secretOf(world, person.id));
    expect(await browser.submit(`${FACTORS}/app`, { code })).toMatchObject({
      status: 303,
      location: FACTORS,
    });
    expect(await factors()).toMatchObject({ totp: {}, passkeys: [{}, {}], recoveryCodesLeft: 10 });
    const renewed = recoveryCodesOf((await browser.submit(`${FACTORS}/recovery-codes`)).text);
    expect(renewed).toHaveLength(10);
    await browser.submit(`${FACTORS}/app/remove`);
    const [first, second] = (await factors()).passkeys;
    await browser.submit(`${PASSKEYS}/${first?.id}/remove`);
    expect(await factors()).toMatchObject({ totp: null, passkeys: [{}], recoveryCodesLeft: 10 });
    await browser.submit(`${PASSKEYS}/${second?.id}/remove`);
    expect(await factors()).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 });
    expect((await enterPassword()).location).toBe('/account');
  });

  it('leaves the codes and the app when it is removed, and goes with all others', async () => {
    const app = await addApp(world, person.id);
    await submitPasskey(app.browser, new TestAuthenticator());
    const [passkey] = (await factors()).passkeys;
    await app.browser.submit(`${PASSKEYS}/${passkey?.id}/remove`);
    expect(await factors()).toMatchObject({ totp: {}, passkeys: [], recoveryCodesLeft: 10 });
    await submitPasskey(app.browser, new TestAuthenticator());
    await app.browser.submit(`${FACTORS}/remove`);
    expect(await factors()).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 });
  });

  it('is renamed, by its own user', async () => {
    await add();
    const [passkey] = (await factors()).passkeys;
    expect(await browser.submit(`${PASSKEYS}/${passkey?.id}`, { name: ' Key <1> ' })).toMatchObject({
      status: 303,
      location: FACTORS,
    });
    expect((await factors()).passkeys[0]?.name).toBe('Key <1>');
    expect((await browser.open(FACTORS)).text).toContain('aria-label="Rename Key &lt;1&gt;"');
    for (const name of ['', ' ', 'x'.repeat(101)]) {
      const { status, text } = await browser.submit(`${PASSKEYS}/${passkey?.id}`, { name });
      expect([status, /role="alert">([^<]*)/.exec(text)?.[1]]).toEqual([
        400,
        expect.stringContaining('Name must be'),
      ]);
    }
    const other = await signInBrowser(world, (await world.addUser()).id);
    expect((await other.submit(`${PASSKEYS}/${passkey?.id}`, { name: 'Mine' })).status).toBe(404);
    expect((await other.submit(`${PASSKEYS}/${passkey?.id}/remove`)).status).toBe(404);
    expect((await other.submit(`${PASSKEYS}/x/remove`)).status).toBe(404);
    expect((await factors()).passkeys).toMatchObject([{ name: 'Key <1>' }]);
  });

  it('is removable over the API by its user and an Administrator', async () => {
    await add();
    await add();
    const [first, second] = (await factors()).passkeys;
    const pathOf = (id?: number): string => `/users/${person.id}/passkeys/${id}`;
    const other = await world.addUser();
    expect((await other.api.delete(pathOf(first?.id))).status).toBe(403);
    expect((await other.api.delete(`/users/${other.id}/passkeys/${first?.id}`)).status).toBe(404);
    expect(await person.api.delete(pathOf(first?.id))).toMatchObject({ status: 200, body: first });
    expect((await person.api.delete(pathOf(first?.id))).status).toBe(404);
    expect(await world.admin.api.delete(pathOf(second?.id))).toMatchObject({ status: 200, body: second });
    expect(await factors()).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 });
    await add();
    expect((await world.admin.api.delete(`/users/${person.id}/secondFactors`)).body).toMatchObject({
      passkeys: [{ name: 'My phone' }],
      recoveryCodesLeft: 10,
    });
    expect((await enterPassword()).location).toBe('/account');
  });

  it('needs a recent sign-in to be added, renamed or removed', async () => {
    await add();
    const [passkey] = (await factors()).passkeys;
    await ageSessions(world, person.id, OLD_MS);
    for (const path of [PASSKEYS, `${PASSKEYS}/${passkey?.id}`, `${PASSKEYS}/${passkey?.id}/remove`]) {
      const { location } = await browser.submit(path, { name: 'x' });
      expect(location).toBe('/sign-in/confirm?to=%2Faccount%2Ffactors');
    }
    expect((await factors()).passkeys).toMatchObject([{ name: 'My phone' }]);
  });

  it.each<[string, Deviation]>([
    ['another origin', { origin: 'https://evil.example.com' }],
    ['another port', { origin: `${PASSKEY_ORIGIN}:8443` }],
    ['the origin without TLS', { origin: 'http://tracker.example.com' }],
    ['another host', { rpId: 'example.com' }],
    ['another type', { type: 'webauthn.get' }],
    ['a challenge of nobody', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['an absent user', { isPresent: false }],
    ['a page in a frame of another origin', { crossOrigin: true }],
    ['no credential id', { credentialId: '' }],
    ['a too long credential id', { credentialId: Buffer.alloc(1024, 1).toString('base64url') }],
    ['a truncated attestation', { mangle: (bytes) => bytes.subarray(0, -20) }],
    ['an empty map', { mangle: () => cborMap([]) }],
    ['no CBOR', { mangle: () => Buffer.from('{"fmt":"none"}') }],
    ['deep nesting', { mangle: () => Buffer.alloc(7000, 0x81) }],
    ['a map that claims to be large', { mangle: () => Buffer.from('bb00ffffffffffffff', 'hex') }],
  ])('is refused if the answer has %s', async (_what, deviation) => {
    const { status, text } = await add(deviation);
    expect([status, text.includes('The passkey was not accepted.')]).toEqual([400, true]);
    expect(await factors()).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 });
  });

  it('is accepted without a look at what the authenticator states of its make', async () => {
    const certificate = cborMap([[cborText('x5c'), cborBytes(Buffer.from('not a certificate'))]]);
    for (const format of ['packed', 'tpm', 'apple', 'android-safetynet', 'unheard-of']) {
      await add({ attestation: [format, certificate] });
    }
    expect((await factors()).passkeys).toHaveLength(5);
  });

  it('answers a challenge of the same session, which is accepted once', async () => {
    const options = await creationOptions();
    const fields = new TestAuthenticator().create(options);
    const again = await signInBrowser(world, person.id);
    expect((await again.submit(PASSKEYS, fields)).status).toBe(400);
    browser = again;
    const answer = new TestAuthenticator().create(await creationOptions());
    expect((await browser.submit(PASSKEYS, answer)).status).toBe(200);
    const [passkey] = (await factors()).passkeys;
    await browser.submit(`${PASSKEYS}/${passkey?.id}/remove`);
    expect((await browser.submit(PASSKEYS, answer)).status).toBe(400);
    expect((await factors()).passkeys).toEqual([]);
  });

  it('answers no challenge that was given for another purpose', async () => {
    await add();
    const { challenge } = optionsIn(await browser.open('/sign-in/confirm'));
    expect((await add({ challenge })).status).toBe(400);
    const { challenge: ofSignIn } = optionsIn(await browser.open('/sign-in'));
    expect((await add({ challenge: ofSignIn })).status).toBe(400);
    expect((await factors()).passkeys).toHaveLength(1);
  });

  it('is refused when its challenge has expired', async () => {
    const fields = new TestAuthenticator().create(await creationOptions());
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10 * 60_000);
    try {
      await ageSessions(world, person.id, -10 * 60_000);
      const { status, text } = await browser.submit(PASSKEYS, fields);
      expect([status, text.includes('This page was open for too long')]).toEqual([400, true]);
    } finally {
      now.mockRestore();
    }
    expect((await factors()).passkeys).toEqual([]);
  });

  it('is added once, by one user', async () => {
    const authenticator = new TestAuthenticator();
    await submitPasskey(browser, authenticator);
    const again = await submitPasskey(browser, authenticator);
    expect([again.status, again.text.includes('This passkey has already been added.')]).toEqual([409, true]);
    const other = await world.addUser();
    const ofOther = await signInBrowser(world, other.id);
    expect((await submitPasskey(ofOther, authenticator)).status).toBe(409);
    const { body } = await other.api.get<Factors>(`/users/${other.id}/secondFactors`);
    expect(body).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 });
    expect((await creationOptions()).excludeCredentials).toEqual([
      { type: 'public-key', id: authenticator.credentialId, transports: ['hybrid', 'internal'] },
    ]);
  });

  it('is added once in ten simultaneous requests', async () => {
    const fields = new TestAuthenticator().create(await creationOptions());
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => browser.copy().submit(PASSKEYS, fields)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(400)]);
    expect(await factors()).toMatchObject({ passkeys: [{}], recoveryCodesLeft: 10 });
  });

  it('is one of at most 20, also in simultaneous requests', async () => {
    for (let count = 0; count < MAX_PASSKEYS - 2; count++) await add();
    const forms = [];
    for (let count = 0; count < 5; count++) {
      forms.push(new TestAuthenticator().create(await creationOptions()));
    }
    const answers = await Promise.all(forms.map((form) => browser.copy().submit(PASSKEYS, form)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 303, 409, 409, 409]);
    expect((await factors()).passkeys).toHaveLength(MAX_PASSKEYS);
    const { text } = await browser.open(FACTORS);
    expect(text).toContain('as many passkeys as there can be');
    expect(text).not.toContain('data-passkey');
  });

  it('names the field that is missing or too long', async () => {
    const fields = new TestAuthenticator().create(await creationOptions());
    for (const name of ['clientData', 'attestation', 'name']) {
      for (const value of ['', 'A'.repeat(12_000)]) {
        const { status, text } = await browser.submit(PASSKEYS, { ...fields, [name]: value });
        expect([
          name,
          status,
          text.includes(`${name === 'name' ? 'Name of the new passkey' : name} must be`),
        ]).toEqual([name, 400, true]);
      }
    }
    const large = await browser.submit(PASSKEYS, { ...fields, attestation: 'A'.repeat(1024 * 1024) });
    expect(large.status).toBe(413);
    expect((await factors()).passkeys).toEqual([]);
  });

  it('stays after a change of the password, and leaves with its user', async () => {
    await add();
    await person.api.patch(`/users/${person.id}`, { password: 'another good password' });
    expect((await factors()).passkeys).toHaveLength(1);
    await world.addComment((await world.addProject()).issueThreadId, person);
    expect((await world.admin.api.delete(`/users/${person.id}`)).status).toBe(200);
    for (const table of ['passkey', 'recovery_code']) {
      const rows = await world.dataSource.query<unknown[]>(`SELECT * FROM ${table} WHERE user_id = ?`, [
        person.id,
      ]);
      expect(rows).toEqual([]);
    }
  });

  it('is recorded in the audit log when it is added, renamed and removed', async () => {
    await add();
    const [passkey] = (await factors()).passkeys;
    await browser.submit(`${PASSKEYS}/${passkey?.id}`, { name: 'Key' });
    await browser.submit(`${PASSKEYS}/${passkey?.id}`, { name: 'Key' });
    await browser.submit(`${PASSKEYS}/${passkey?.id}/remove`);
    const { body } =
      await world.admin.api.get<{ action: string; subjectId: number; subjectName: string }[]>(
        '/space/auditLog?count=100',
      );
    const found = body.filter(
      ({ action, subjectId }) => action.startsWith('passkey') && subjectId === passkey?.id,
    );
    expect(found.map(({ action, subjectName }) => [action, subjectName]).sort()).toEqual([
      ['passkey.add', 'My phone'],
      ['passkey.delete', 'Key'],
      ['passkey.update', 'Key'],
    ]);
  });

  it('has texts in Japanese, also for errors', async () => {
    const page = await browser.open(FACTORS, { 'accept-language': 'ja' });
    expect(page.text).toContain('パスキーを追加する');
    const fields = new TestAuthenticator().create(creationOptionsIn(page), { rpId: 'evil.example' });
    const { text } = await browser.submit(PASSKEYS, fields, { 'accept-language': 'ja' });
    expect(text).toContain('パスキーを確認できませんでした。');
  });

  it('lets older pages of the same browser be used after each other', async () => {
    const [one, other] = [await creationOptions(), await creationOptions()];
    expect((await browser.submit(PASSKEYS, new TestAuthenticator().create(one))).status).toBe(200);
    expect((await browser.submit(PASSKEYS, new TestAuthenticator().create(other))).status).toBe(303);
  });
});

describe('a passkey where a second factor is required', () => {
  const tested = useWorld({ PUBLIC_URL: PASSKEY_ORIGIN, REQUIRE_MFA: 'all' });

  it('admits its user at once, and no longer when it is removed', async () => {
    const { world } = tested;
    const user = await world.addUser();
    expect((await user.api.get('/users/myself')).status).toBe(403);
    const browser = await signInBrowser(world, user.id);
    expect((await browser.open(FACTORS)).text).toContain('This space requires a second factor');
    await submitPasskey(browser, new TestAuthenticator());
    expect((await user.api.get('/users/myself')).status).toBe(200);
    expect((await browser.open(FACTORS)).text).not.toContain('This space requires a second factor');
    const { body } = await user.api.get<Factors>(`/users/${user.id}/secondFactors`);
    await browser.submit(`${PASSKEYS}/${body.passkeys[0]?.id}/remove`);
    expect((await user.api.get('/users/myself')).status).toBe(403);
    expect((await browser.open('/account')).location).toBe(FACTORS);
  });
});

describe('a passkey without PUBLIC_URL', () => {
  const tested = useWorld();

  it('is offered at localhost, and not at an address without a name', async () => {
    const open = (host: string): Promise<PageAnswer> =>
      new KeepingBrowser(tested.world).open('/sign-in', { host });
    const named = await open('localhost:3000');
    expect(optionsIn(named)).toMatchObject({ rpId: 'localhost', allowCredentials: [] });
    expect(named.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-pms-passkey=[\w-]{43}; Max-Age=600; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
      ),
    ]);
    const unnamed = await open('127.0.0.1:3000');
    expect(unnamed.text).not.toContain('data-passkey');
    expect(unnamed.headers.getSetCookie()).toEqual([]);
    expect(unnamed.headers.get('content-security-policy')).not.toContain('script-src');
    const browser = await signInBrowser(tested.world, (await tested.world.addUser()).id);
    expect((await browser.open(FACTORS)).text).toContain('Passkeys are not available at this address');
  });
});
