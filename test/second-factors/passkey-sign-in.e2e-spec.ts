import { createHash } from 'node:crypto';
import { SignInAttemptsService } from '../../src/sign-in/sign-in-attempts.service';
import { KeepingBrowser } from '../support/browser';
import { addApp, codeNow, secretOf } from '../support/factors';
import {
  addPasskey,
  creationOptionsIn,
  type Deviation,
  optionsIn,
  PASSKEY_ORIGIN,
  type PasskeyUser,
  submitPasskey,
  TestAuthenticator,
} from '../support/passkeys';
import { ageSessions, PASSWORD, type PageAnswer, passwordLink } from '../support/sessions';
import { type Person, useWorld, type World } from '../support/world';

const SESSION = '__Host-pms';
const COOKIE = '__Host-pms-passkey';
const SIGN_IN = '/sign-in/passkey';
const SECOND_FACTOR = '/sign-in/second-factor';
const CONFIRM = '/sign-in/confirm';
const REFUSAL = 'The passkey was not accepted.';
const OLD_MS = 11 * 60_000;

/** What each kind of sign-in refuses. */
const DEVIATIONS: [string, Deviation][] = [
  ['another origin', { origin: 'https://evil.example.com' }],
  ['another host', { rpId: 'evil.example.com' }],
  ['another type', { type: 'webauthn.create' }],
  ['a challenge of nobody', { challenge: Buffer.alloc(32).toString('base64url') }],
  ['an absent user', { isPresent: false }],
  ['a flipped bit of the signature', { mangle: flip }],
  ['no signature', { mangle: () => Buffer.from([0]) }],
  ['an unknown credential', { credentialId: Buffer.alloc(32, 7).toString('base64url') }],
  ['the handle of another user', { userHandle: Buffer.from('1').toString('base64url') }],
  ['a page in a frame of another origin', { crossOrigin: true }],
];

describe('signing in with a passkey', () => {
  const tested = useWorld({ PUBLIC_URL: PASSKEY_ORIGIN });
  let world: World;
  let person: Person;
  let user: PasskeyUser;
  let authenticator: TestAuthenticator;

  beforeAll(() => {
    world = tested.world;
  });

  beforeEach(async () => {
    await forgetFailures();
    person = await world.addUser();
    user = await addPasskey(world, person.id);
    ({ authenticator } = user);
  });

  /** All tests have one address, at which wrong answers add up. */
  async function forgetFailures(): Promise<void> {
    await world.dataSource.query('DELETE FROM sign_in_failures');
    (world.service(SignInAttemptsService) as unknown as { waits?: Map<string, number> }).waits?.clear();
  }

  const nameOf = async (): Promise<string> =>
    (await world.admin.api.get<{ userId: string }>(`/users/${person.id}`)).body.userId;

  /** Signs in without the password. */
  const signIn = async (deviation?: Deviation, browser = new KeepingBrowser(world)): Promise<PageAnswer> => {
    const options = optionsIn(await browser.open('/sign-in'));
    return browser.submit(SIGN_IN, { ...authenticator.get(options, deviation), to: '/account/keys' });
  };

  /** Enters the right password in another browser. */
  const enterPassword = async (): Promise<KeepingBrowser> => {
    const browser = new KeepingBrowser(world);
    await browser.submit('/sign-in', { name: await nameOf(), password: PASSWORD, to: '/account/keys' });
    return browser;
  };

  /** Uses the passkey after the password. */
  const useAfterPassword = async (browser: KeepingBrowser, deviation?: Deviation): Promise<PageAnswer> => {
    const options = optionsIn(await browser.open(SECOND_FACTOR));
    return browser.submit(`${SECOND_FACTOR}/passkey`, {
      ...authenticator.get(options, deviation),
      to: '/account/keys',
    });
  };

  const confirm = async (deviation?: Deviation): Promise<PageAnswer> => {
    const options = optionsIn(await user.browser.open(CONFIRM));
    return user.browser.submit(`${CONFIRM}/passkey`, {
      ...authenticator.get(options, deviation),
      to: '/account/keys',
    });
  };

  const sessions = async (): Promise<{ secondFactor: string | null }[]> =>
    (await person.api.get<{ secondFactor: string | null }[]>(`/users/${person.id}/sessions`)).body;

  const passkey = async (): Promise<{ id: number; lastUsed: string | null }> => {
    const { body } = await world.admin.api.get<{ passkeys: { id: number; lastUsed: string | null }[] }>(
      `/users/${person.id}/secondFactors`,
    );
    return body.passkeys[0] as { id: number; lastUsed: string | null };
  };

  const actionsOf = async (id: number): Promise<unknown[]> => {
    const { body } =
      await world.admin.api.get<{ action: string; subjectId: number }[]>('/space/auditLog?count=100');
    return body.filter(({ action, subjectId }) => action.startsWith('passkey.') && subjectId === id);
  };

  /** Lets many attempts fail at the same time, which would otherwise wait. */
  async function withoutWaits(work: () => Promise<unknown>): Promise<void> {
    const begin = vi.spyOn(SignInAttemptsService.prototype, 'begin').mockResolvedValue();
    try {
      await work();
    } finally {
      begin.mockRestore();
    }
  }

  it('needs neither the login name nor the password, and counts as both factors', async () => {
    const browser = new KeepingBrowser(world);
    const page = await browser.open('/sign-in');
    expect(optionsIn(page)).toEqual({
      challenge: expect.stringMatching(/^[\w-]{100,400}$/),
      rpId: 'tracker.example.com',
      timeout: 600_000,
      allowCredentials: [],
      userVerification: 'required',
    });
    expect(browser.has(COOKIE)).toBe(true);
    const answer = await browser.submit(SIGN_IN, {
      ...authenticator.get(optionsIn(page)),
      to: '/account/keys',
    });
    expect(answer).toMatchObject({ status: 303, location: '/account/keys' });
    expect([browser.has(SESSION), browser.has(COOKIE)]).toEqual([true, false]);
    expect((await browser.open('/account/keys')).status).toBe(200);
    expect((await sessions()).map(({ secondFactor }) => typeof secondFactor)).toEqual(['string', 'string']);
    expect((await passkey()).lastUsed).toEqual(expect.any(String));
  });

  it('leads to no other host', async () => {
    const browser = new KeepingBrowser(world);
    const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
    expect((await browser.submit(SIGN_IN, { ...fields, to: '//evil.example.com' })).location).toBe(
      '/account',
    );
  });

  it('is the second factor after the password', async () => {
    const browser = await enterPassword();
    expect(optionsIn(await browser.open(SECOND_FACTOR))).toMatchObject({
      allowCredentials: [{ id: authenticator.credentialId, transports: ['hybrid', 'internal'] }],
      userVerification: 'preferred',
    });
    // Somebody has touched the authenticator; the password has shown who.
    const answer = await useAfterPassword(browser, { isVerified: false });
    expect(answer).toMatchObject({ status: 303, location: '/account/keys' });
    expect(browser.has(SESSION)).toBe(true);
    expect((await sessions())[0]?.secondFactor).toEqual(expect.any(String));
  });

  it('completes a link with which the password is set', async () => {
    const browser = new KeepingBrowser(world);
    const path = await passwordLink(world, person.id);
    const { location } = await browser.submit(path, { newPassword: 'yet another long password' });
    expect(location).toBe(`${SECOND_FACTOR}?to=%2Faccount`);
    expect((await useAfterPassword(browser)).location).toBe('/account/keys');
    expect((await browser.open(path)).status).toBe(404);
  });

  it('confirms an earlier sign-in, and replaces its session', async () => {
    await ageSessions(world, person.id, OLD_MS);
    const { browser } = user;
    expect((await browser.open('/account/keys')).location).toMatch(/^\/sign-in\/confirm/);
    const before = browser.cookie;
    expect(optionsIn(await browser.open(CONFIRM))).toMatchObject({
      allowCredentials: [{ id: authenticator.credentialId }],
      userVerification: 'required',
    });
    expect(await confirm()).toMatchObject({ status: 303, location: '/account/keys' });
    expect(browser.cookie).not.toBe(before);
    expect((await browser.open('/account/keys')).status).toBe(200);
    expect(await sessions()).toHaveLength(1);
  });

  it('needs the token of the session to confirm', async () => {
    const fields = authenticator.get(optionsIn(await user.browser.open(CONFIRM)));
    expect((await user.browser.submit(`${CONFIRM}/passkey`, { ...fields, csrf: '' })).status).toBe(400);
    expect((await user.browser.submit(`${CONFIRM}/passkey`, { ...fields, csrf: 'x' })).status).toBe(403);
  });

  it('accepts an authenticator without a counter again and again', async () => {
    await submitPasskey(user.browser, (authenticator = new TestAuthenticator(false)));
    for (let count = 0; count < 3; count++) expect((await signIn()).location).toBe('/account/keys');
  });

  it('takes a code of the app as well, and a recovery code', async () => {
    const { browser } = await addApp(world, (person = await world.addUser()).id);
    authenticator = new TestAuthenticator();
    await submitPasskey(browser, authenticator);
    const entered = await enterPassword();
    expect((await entered.open(SECOND_FACTOR)).text).toContain('data-passkey');
    const code = codeNow(await secretOf(world, person.id));
    expect((await entered.submit(SECOND_FACTOR, { code })).location).toBe('/account');
    expect((await useAfterPassword(await enterPassword())).location).toBe('/account/keys');
    expect((await signIn()).location).toBe('/account/keys');
  });

  it('takes a recovery code of a user without an app', async () => {
    const entered = await enterPassword();
    const { text } = await entered.open(SECOND_FACTOR);
    expect(text).toContain('A recovery code signs you in once without your passkey.');
    expect((await entered.submit(SECOND_FACTOR, { code: '123456' })).status).toBe(400);
    const [code = ''] = user.recoveryCodes;
    expect((await entered.submit(SECOND_FACTOR, { code })).location).toBe('/account');
    expect((await (await enterPassword()).submit(SECOND_FACTOR, { code })).status).toBe(400);
  });

  it.each(DEVIATIONS)('refuses a sign-in without the password with %s', async (_what, deviation) => {
    const browser = new KeepingBrowser(world);
    const { status, text } = await signIn(deviation, browser);
    expect([status, text.includes(REFUSAL), browser.has(SESSION)]).toEqual([400, true, false]);
    expect((await passkey()).lastUsed).toBeNull();
  });

  it.each(DEVIATIONS)('refuses a second step with %s', async (_what, deviation) => {
    const browser = await enterPassword();
    const { status, text } = await useAfterPassword(browser, deviation);
    expect([status, text.includes(REFUSAL), browser.has(SESSION)]).toEqual([400, true, false]);
    expect((await passkey()).lastUsed).toBeNull();
  });

  it.each(DEVIATIONS)('refuses a confirmation with %s', async (_what, deviation) => {
    const before = user.browser.cookie;
    const { status, text } = await confirm(deviation);
    expect([status, text.includes(REFUSAL), user.browser.cookie]).toEqual([400, true, before]);
    expect((await passkey()).lastUsed).toBeNull();
  });

  it('refuses a user who was not verified or is not named where the passkey counts as both factors', async () => {
    expect((await signIn({ isVerified: false })).status).toBe(400);
    expect((await signIn({ userHandle: '' })).status).toBe(400);
    expect((await confirm({ isVerified: false })).status).toBe(400);
    expect((await confirm({ userHandle: '' })).location).toBe('/account/keys');
  });

  it('gives the same answer for the passkey of a disabled user, an unknown and a removed one', async () => {
    const texts = new Set<string>();
    const collect = async (deviation?: Deviation): Promise<void> => {
      const { status, text } = await signIn(deviation);
      expect(status).toBe(400);
      texts.add(text.replace(/data-passkey="[^"]*"/, ''));
    };
    await collect({ credentialId: Buffer.alloc(32, 9).toString('base64url') });
    await world.admin.api.patch(`/users/${person.id}`, { enabled: false });
    await collect();
    await world.admin.api.patch(`/users/${person.id}`, { enabled: true });
    await collect({ mangle: flip });
    await world.admin.api.delete(`/users/${person.id}/passkeys/${(await passkey()).id}`);
    await collect();
    expect(texts.size).toBe(1);
  });

  it('refuses the passkey of another user than the one who has entered the password, or signed in', async () => {
    const other = await addPasskey(world, (await world.addUser()).id);
    const own = authenticator;
    authenticator = other.authenticator;
    expect((await useAfterPassword(await enterPassword())).status).toBe(400);
    expect((await confirm()).status).toBe(400);
    authenticator = own;
    expect((await confirm()).location).toBe('/account/keys');
  });

  it('refuses a challenge that was given to another browser, or for another purpose', async () => {
    const foreign = optionsIn(await new KeepingBrowser(world).open('/sign-in')).challenge;
    expect((await signIn({ challenge: foreign })).status).toBe(400);
    const ofConfirm = optionsIn(await user.browser.open(CONFIRM)).challenge;
    const ofAdding = creationOptionsIn(await user.browser.open('/account/factors')).challenge;
    const entered = await enterPassword();
    const ofStep = optionsIn(await entered.open(SECOND_FACTOR)).challenge;
    const ofOtherStep = optionsIn(await (await enterPassword()).open(SECOND_FACTOR)).challenge;
    for (const challenge of [ofConfirm, ofAdding, ofStep]) {
      expect((await signIn({ challenge }, entered.copy())).status).toBe(400);
    }
    for (const challenge of [ofConfirm, ofAdding, ofOtherStep, foreign]) {
      expect((await useAfterPassword(entered.copy(), { challenge })).status).toBe(400);
    }
    for (const challenge of [ofAdding, ofStep, foreign]) {
      expect((await confirm({ challenge })).status).toBe(400);
    }
    expect((await passkey()).lastUsed).toBeNull();
  });

  it('refuses a form without the cookie of the browser, with the one of another, or from another site', async () => {
    const browser = new KeepingBrowser(world);
    const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
    const without = await new KeepingBrowser(world).submit(SIGN_IN, fields);
    expect([without.status, without.text.includes('This page was open for too long')]).toEqual([400, true]);
    const other = new KeepingBrowser(world);
    await other.open('/sign-in');
    expect((await other.submit(SIGN_IN, fields)).status).toBe(400);
    const fromElsewhere = await browser.submit(SIGN_IN, fields, { 'sec-fetch-site': 'cross-site' });
    expect(fromElsewhere.status).toBe(403);
    expect((await browser.submit(SIGN_IN, fields)).location).toBe('/account');
  });

  it('refuses a challenge that has expired', async () => {
    const browser = new KeepingBrowser(world);
    const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10 * 60_000);
    const { status, text } = await browser.submit(SIGN_IN, fields);
    now.mockRestore();
    expect([status, text.includes('This page was open for too long')]).toEqual([400, true]);
    expect((await browser.submit(SIGN_IN, fields)).location).toBe('/account');
  });

  it('refuses a repeated answer', async () => {
    const browser = new KeepingBrowser(world);
    const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
    const copies = [browser.copy(), browser.copy()];
    expect((await browser.submit(SIGN_IN, fields)).location).toBe('/account');
    for (const copy of copies) expect((await copy.submit(SIGN_IN, fields)).status).toBe(400);
    expect(await sessions()).toHaveLength(2);
  });

  it('refuses a repeated answer of an authenticator without a counter', async () => {
    await submitPasskey(user.browser, (authenticator = new TestAuthenticator(false)));
    const browser = new KeepingBrowser(world);
    const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
    const copy = browser.copy();
    expect((await browser.submit(SIGN_IN, fields)).location).toBe('/account');
    expect((await copy.submit(SIGN_IN, fields)).status).toBe(400);
  });

  it('refuses a counter that has not gone forward, which the audit log shows', async () => {
    expect((await signIn({ signCount: 100 })).location).toBe('/account/keys');
    expect((await signIn({ signCount: 101 })).location).toBe('/account/keys');
    const { id } = await passkey();
    for (const signCount of [101, 50, 0]) expect((await signIn({ signCount })).status).toBe(400);
    expect((await useAfterPassword(await enterPassword(), { signCount: 99 })).status).toBe(400);
    // A wrong signature says nothing of the passkey.
    expect((await signIn({ signCount: 1, mangle: flip })).status).toBe(400);
    await forgetFailures();
    expect((await signIn({ signCount: 102 })).location).toBe('/account/keys');
    const refusals = (await actionsOf(id)).filter((entry) =>
      JSON.stringify(entry).includes('passkey.refuse'),
    );
    expect(refusals).toHaveLength(4);
    expect(refusals[0]).toMatchObject({
      action: 'passkey.refuse',
      subjectName: 'My phone',
      actorId: person.id,
      changes: [{ field: 'signCount', from: '101', to: '99' }],
    });
  });

  it('refuses a second step after the challenge of its password has ended', async () => {
    const browser = await enterPassword();
    const options = optionsIn(await browser.open(SECOND_FACTOR));
    await world.admin.api.patch(`/users/${person.id}`, { enabled: false });
    await world.admin.api.patch(`/users/${person.id}`, { enabled: true });
    const answer = await browser.submit(`${SECOND_FACTOR}/passkey`, authenticator.get(options));
    expect(answer.location).toBe('/sign-in');
    expect(browser.has(SESSION)).toBe(false);
  });

  it('starts one session for one answer in 20 simultaneous requests', async () => {
    for (const hasCounter of [true, false]) {
      if (!hasCounter) await submitPasskey(user.browser, (authenticator = new TestAuthenticator(false)));
      const before = (await sessions()).length;
      const browser = new KeepingBrowser(world);
      const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
      const copies = Array.from({ length: 20 }, () => browser.copy());
      await withoutWaits(() => Promise.all(copies.map((copy) => copy.submit(SIGN_IN, fields))));
      expect(copies.filter((copy) => copy.has(SESSION))).toHaveLength(1);
      expect(await sessions()).toHaveLength(before + 1);
    }
  });

  it('completes a password once, and confirms a session once, in 20 simultaneous requests', async () => {
    const entered = await enterPassword();
    const fields = authenticator.get(optionsIn(await entered.open(SECOND_FACTOR)));
    const copies = Array.from({ length: 20 }, () => entered.copy());
    await withoutWaits(() =>
      Promise.all(copies.map((copy) => copy.submit(`${SECOND_FACTOR}/passkey`, fields))),
    );
    expect(copies.filter((copy) => copy.has(SESSION))).toHaveLength(1);
    const options = optionsIn(await user.browser.open(CONFIRM));
    const confirmation = authenticator.get(options);
    const before = user.browser.cookie;
    const confirming = Array.from({ length: 20 }, () => user.browser.copy());
    await withoutWaits(() =>
      Promise.all(confirming.map((copy) => copy.submit(`${CONFIRM}/passkey`, confirmation))),
    );
    expect(confirming.filter((copy) => copy.cookie !== before)).toHaveLength(1);
    expect(await sessions()).toHaveLength(2);
  });

  it('counts wrong answers as wrong codes, of the user and of the address', async () => {
    for (let count = 0; count < 5; count++) expect((await signIn({ mangle: flip })).status).toBe(400);
    const { status, text } = await signIn();
    expect([status, text.includes('Too many attempts')]).toEqual([429, true]);
    expect((await useAfterPassword(await enterPassword())).status).toBe(429);
  });

  it('counts wrong answers after the password against its challenge, too', async () => {
    const browser = await enterPassword();
    for (let count = 0; count < 5; count++) await useAfterPassword(browser, { mangle: flip });
    expect((await browser.open(SECOND_FACTOR)).location).toBe('/sign-in');
  });

  it('makes an address wait that tries unknown passkeys', async () => {
    const statuses: number[] = [];
    for (let count = 0; count < 22; count++) {
      const credentialId = Buffer.alloc(16, count).toString('base64url');
      statuses.push((await signIn({ credentialId })).status);
    }
    expect(new Set(statuses.slice(0, 20))).toEqual(new Set([400]));
    expect(statuses.at(-1)).toBe(429);
  });

  it('names the field that is missing or too long, and reads no large body', async () => {
    const browser = new KeepingBrowser(world);
    const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
    for (const name of ['credentialId', 'clientData', 'authenticatorData', 'signature']) {
      for (const value of ['', 'A'.repeat(5000)]) {
        const { status, text } = await browser.submit(SIGN_IN, { ...fields, [name]: value });
        expect([name, status, text.includes(`${name} must be`)]).toEqual([name, 400, true]);
      }
    }
    expect((await browser.submit(SIGN_IN, { ...fields, other: 'x' })).status).toBe(400);
    expect((await browser.submit(SIGN_IN, { ...fields, signature: 'A'.repeat(1024 * 1024) })).status).toBe(
      413,
    );
    const json = await browser.send('POST', SIGN_IN, '{}', { 'Content-Type': 'application/json' });
    expect(json.status).toBe(400);
  });

  it('answers no mangled form with an internal error', async () => {
    const random = randomNumbers();
    const statuses = new Set<number>();
    /** A page that refuses a form shows it again, with another challenge. */
    const nextForm = (answer: PageAnswer): PageAnswer | undefined => {
      statuses.add(answer.status);
      return answer.text.includes('data-passkey="') ? answer : undefined;
    };
    await withoutWaits(async () => {
      let browser = new KeepingBrowser(world);
      let signingIn: PageAnswer | undefined;
      let adding: PageAnswer | undefined;
      for (let count = 0; count < 250; count++) {
        if (!signingIn) {
          browser = new KeepingBrowser(world);
          signingIn = await browser.open('/sign-in');
        }
        const fields = authenticator.get(optionsIn(signingIn), { signCount: 1 });
        signingIn = nextForm(await browser.submit(SIGN_IN, mangled(fields, random)));
        adding ??= await user.browser.open('/account/factors');
        const added = mangled(new TestAuthenticator().create(creationOptionsIn(adding)), random);
        adding = nextForm(await user.browser.submit('/account/factors/passkeys', added));
        if (count % 15 === 0) await removeOthers();
      }
    });
    expect([...statuses].filter((status) => ![303, 400, 409].includes(status))).toEqual([]);
    // Forms whose change does not matter are accepted, so that the others were refused for theirs.
    expect([...statuses]).toEqual(expect.arrayContaining([303, 400]));
  }, 120_000);

  /** Removes all passkeys but the first, so that there is room for others. */
  async function removeOthers(): Promise<void> {
    const { id } = await passkey();
    await world.dataSource.query('DELETE FROM passkey WHERE user_id = ? AND id <> ?', [person.id, id]);
  }

  it('stores nothing for strangers who open the page, and forgets used challenges when they expire', async () => {
    const count = async (): Promise<number> => {
      const [row] = await world.dataSource.query<{ total: number | string }[]>(
        'SELECT COUNT(*) AS total FROM used_challenge',
      );
      return Number(row?.total);
    };
    const before = await count();
    for (let opened = 0; opened < 5; opened++) await new KeepingBrowser(world).open('/sign-in');
    expect(await count()).toBe(before);
    await signIn();
    expect(await count()).toBe(before + 1);
    await world.dataSource.query('UPDATE used_challenge SET expires = ?', [Date.now() - 1]);
    world.startBackgroundWork();
    await world.whenIdle();
    expect(await count()).toBe(0);
  });
});

function flip(bytes: Buffer): Buffer {
  const flipped = Buffer.from(bytes);
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 1) ^ 1, flipped.length - 1);
  return flipped;
}

/** Returns numbers from 0 to 2^32 - 1 that are the same in each run. */
function randomNumbers(): () => number {
  let state = 0;
  return () => createHash('sha256').update(`passkeys ${state++}`).digest().readUInt32BE();
}

/** Changes some bytes of one binary field, cuts it, repeats a part of it, or replaces it. */
function mangled(fields: Record<string, string>, random: () => number): Record<string, string> {
  const names = Object.keys(fields).filter((name) => !['name', 'transports'].includes(name));
  const name = names[random() % names.length] ?? '';
  const bytes = Buffer.from(fields[name] ?? '', 'base64url');
  const at = random() % (bytes.length + 1);
  const noise = createHash('sha256').update(String(random())).digest();
  const variants = [
    () => Buffer.concat([bytes.subarray(0, at), noise.subarray(0, 1), bytes.subarray(at + 1)]),
    () => Buffer.concat([bytes.subarray(0, at), noise.subarray(0, 9), bytes.subarray(at)]),
    () => bytes.subarray(0, at),
    () => Buffer.concat([bytes, bytes.subarray(at)]),
    () => Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)]),
    () => noise,
  ];
  const variant = variants[random() % variants.length] ?? (() => bytes);
  return { ...fields, [name]: variant().toString('base64url') };
}
