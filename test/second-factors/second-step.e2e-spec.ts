import { EncryptionService } from '../../src/encryption/encryption.service';
import { stepAt } from '../../src/second-factors/totp';
import { SignInAttemptsService } from '../../src/sign-in/sign-in-attempts.service';
import { KeepingBrowser } from '../support/browser';
import { addApp, codeNow, type TestApp } from '../support/factors';
import { PASSWORD, type PageAnswer, passwordLink } from '../support/sessions';
import { type Person, useWorld, type World } from '../support/world';

const CHALLENGE = '__Host-pms-challenge';
const SESSION = '__Host-pms';
const SECOND_FACTOR = '/sign-in/second-factor';
const NEW_PASSWORD = 'yet another long password';

describe('signing in with a second factor', () => {
  const tested = useWorld();
  let world: World;
  let person: Person;
  let app: TestApp;

  beforeAll(() => {
    world = tested.world;
  });

  beforeEach(async () => {
    // All tests have one address, at which wrong codes add up.
    await world.dataSource.query('DELETE FROM sign_in_failures');
    (world.service(SignInAttemptsService) as unknown as { waits?: Map<string, number> }).waits?.clear();
    person = await world.addUser();
    app = await addApp(world, person.id);
  });

  const nameOf = async (): Promise<string> => {
    const { body } = await world.admin.api.get<{ userId: string }>(`/users/${person.id}`);
    return body.userId;
  };

  /** Enters the right password in another browser. */
  const enterPassword = async (password = PASSWORD): Promise<KeepingBrowser> => {
    const browser = new KeepingBrowser(world);
    await browser.submit('/sign-in', { name: await nameOf(), password, to: '/account/keys' });
    return browser;
  };

  const enter = (browser: KeepingBrowser, code: string): Promise<PageAnswer> =>
    browser.submit(SECOND_FACTOR, { code, to: '/account/keys' });

  const countSessions = async (): Promise<number> => {
    const { body } = await person.api.get<unknown[]>(`/users/${person.id}/sessions`);
    return body.length;
  };

  it('needs a code after the right password, and starts no session before', async () => {
    const browser = new KeepingBrowser(world);
    const first = await browser.submit('/sign-in', {
      name: await nameOf(),
      password: PASSWORD,
      to: '/account/keys',
    });
    expect(first).toMatchObject({ status: 303, location: `${SECOND_FACTOR}?to=%2Faccount%2Fkeys` });
    expect([browser.has(CHALLENGE), browser.has(SESSION)]).toEqual([true, false]);
    expect((await browser.open('/account')).location).toMatch(/^\/sign-in\?/);
    expect((await browser.open(first.location ?? '')).text).toContain('name="code"');
    expect(await enter(browser, codeNow(app.secret))).toMatchObject({
      status: 303,
      location: '/account/keys',
    });
    expect([browser.has(CHALLENGE), browser.has(SESSION)]).toEqual([false, true]);
    expect((await browser.open('/account')).status).toBe(200);
    const { body } = await person.api.get<{ secondFactor: string | null }[]>(`/users/${person.id}/sessions`);
    expect(body.map(({ secondFactor }) => typeof secondFactor)).toEqual(['string', 'string']);
  });

  it.each<[string, string | null]>([
    ['has been tampered with', 'AAAA'],
    ['is lost', null],
    ['has an unknown key', 'deadbeef.AAAA'],
  ])('takes a recovery code, and says so to a code of the app, if the secret %s', async (_what, secret) => {
    const damaged =
      secret === 'AAAA' ? `${world.service(EncryptionService).currentKeyId}.${'A'.repeat(80)}` : secret;
    await world.dataSource.query('UPDATE totp SET secret = ? WHERE user_id = ?', [damaged, person.id]);
    const browser = await enterPassword();
    const refused = await enter(browser, codeNow(app.secret));
    expect([refused.status, refused.session, refused.text]).toEqual([
      409,
      undefined,
      expect.stringContaining('Use a recovery code or a passkey'),
    ]);
    expect((await enter(browser, app.recoveryCodes[0] ?? '')).location).toBe('/account/keys');
    expect((await browser.open('/account/factors')).status).toBe(200);
    expect((await browser.submit('/account/factors/app/remove')).location).toBe('/account/factors');
  });

  it('stores only the hash of the token of a challenge', async () => {
    const { cookie } = await enterPassword();
    const rows = await world.dataSource.query<{ token_hash: string }[]>('SELECT * FROM login_challenge');
    expect(rows.every((row) => /^[0-9a-f]{64}$/.test(row.token_hash))).toBe(true);
    expect(JSON.stringify(rows)).not.toContain(cookie.replace(/^.*=/, ''));
  });

  it.each([-1, 0, 1])('accepts the code of the step %i from now', async (later) => {
    const browser = await enterPassword();
    expect((await enter(browser, codeNow(app.secret, later))).location).toBe('/account/keys');
  });

  it.each([-3, 3])('refuses the code of the step %i from now', async (later) => {
    const browser = await enterPassword();
    const { status, text } = await enter(browser, codeNow(app.secret, later));
    expect(status).toBe(400);
    expect(text).toContain('The code is wrong');
  });

  it('accepts a code with spaces', async () => {
    const browser = await enterPassword();
    const code = codeNow(app.secret).replace(/^(...)/, '$1 ');
    expect((await enter(browser, code)).location).toBe('/account/keys');
  });

  it('accepts a code in full-width digits', async () => {
    const code = codeNow(app.secret).replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    expect((await enter(await enterPassword(), code)).location).toBe('/account/keys');
  });

  it('accepts a step once', async () => {
    const code = codeNow(app.secret);
    expect((await enter(await enterPassword(), code)).location).toBe('/account/keys');
    expect((await enter(await enterPassword(), code)).status).toBe(400);
    const [row] = await world.dataSource.query<{ step: number }[]>(
      'SELECT last_step AS step FROM totp WHERE user_id = ?',
      [person.id],
    );
    expect(Math.abs(Number(row?.step) - stepAt(Date.now()))).toBeLessThanOrEqual(1);
  });

  it('accepts a step once in 20 simultaneous requests', async () => {
    const before = await countSessions();
    const browsers: KeepingBrowser[] = [];
    // Of a user's challenges, the latest ten remain.
    for (let count = 0; count < 10; count++) browsers.push(await enterPassword());
    const code = codeNow(app.secret);
    const all = browsers.flatMap((browser) => [browser.copy(), browser.copy()]);
    await withoutWaits(() => Promise.all(all.map((browser) => enter(browser, code))));
    expect(all.filter((browser) => browser.has(SESSION))).toHaveLength(1);
    expect(await countSessions()).toBe(before + 1);
  });

  it('accepts a recovery code once, also simultaneously', async () => {
    const [first = '', second = ''] = app.recoveryCodes;
    expect((await enter(await enterPassword(), first.toUpperCase().replaceAll('-', ' '))).location).toBe(
      '/account/keys',
    );
    expect((await enter(await enterPassword(), first)).status).toBe(400);
    const browsers: KeepingBrowser[] = [];
    for (let count = 0; count < 10; count++) browsers.push(await enterPassword());
    await withoutWaits(() => Promise.all(browsers.map((browser) => enter(browser, second))));
    expect(browsers.filter((browser) => browser.has(SESSION))).toHaveLength(1);
    const { body } = await person.api.get(`/users/${person.id}/secondFactors`);
    expect(body).toMatchObject({ recoveryCodesLeft: 8 });
  });

  it('accepts one code of a challenge', async () => {
    const browser = await enterPassword();
    const copy = browser.copy();
    await enter(browser, app.recoveryCodes[0] ?? '');
    expect((await enter(copy, app.recoveryCodes[1] ?? '')).location).toBe('/sign-in');
  });

  it('ends a challenge after five wrong codes, and makes the sixth attempt wait', async () => {
    const browser = await enterPassword();
    const answers: PageAnswer[] = [];
    for (let count = 0; count < 5; count++) answers.push(await enter(browser, 'wrong'));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect((await browser.copy().open(SECOND_FACTOR)).location).toBe('/sign-in');
    expect((await enter(browser, codeNow(app.secret))).location).toBe('/sign-in');
    const again = await enterPassword();
    await enter(again, 'wrong');
    const { status, text } = await enter(again, codeNow(app.secret));
    expect(status).toBe(429);
    expect(text).toContain('Too many attempts');
  });

  it('answers a wrong code of the app like a wrong recovery code', async () => {
    const browser = await enterPassword();
    const wrong = codeNow(app.secret) === '123456' ? '654321' : '123456';
    const [ofApp, recovery] = [await enter(browser, wrong), await enter(browser, 'aaaa-bbbb-cccc')];
    expect([ofApp.status, ofApp.text]).toEqual([recovery.status, recovery.text]);
  });

  it('counts wrong codes although the password is right each time', async () => {
    for (let count = 0; count < 6; count++) await enter(await enterPassword(), 'wrong');
    expect((await enter(await enterPassword(), codeNow(app.secret))).status).toBe(429);
  });

  it('refuses a challenge that has expired or never existed', async () => {
    const browser = await enterPassword();
    await world.dataSource.query('UPDATE login_challenge SET expires = ?', [Date.now()]);
    expect((await browser.copy().open(SECOND_FACTOR)).location).toBe('/sign-in');
    expect((await enter(browser, codeNow(app.secret))).location).toBe('/sign-in');
    expect((await enter(new KeepingBrowser(world), codeNow(app.secret))).location).toBe('/sign-in');
  });

  it('ends the challenges of a user who is disabled or gets another password', async () => {
    const disabled = await enterPassword();
    await world.admin.api.patch(`/users/${person.id}`, { enabled: false });
    await world.admin.api.patch(`/users/${person.id}`, { enabled: true });
    expect((await enter(disabled, codeNow(app.secret))).location).toBe('/sign-in');
    const changed = await enterPassword();
    await world.admin.api.patch(`/users/${person.id}`, { password: NEW_PASSWORD });
    expect((await enter(changed, codeNow(app.secret))).location).toBe('/sign-in');
  });

  it('needs a code to confirm a sign-in, which then replaces the session', async () => {
    const { browser } = app;
    const before = await countSessions();
    const { location } = await browser.submit('/sign-in/confirm', {
      password: PASSWORD,
      to: '/account/keys',
    });
    expect(location).toBe(`${SECOND_FACTOR}?to=%2Faccount%2Fkeys`);
    const old = browser.cookie;
    expect((await enter(browser, codeNow(app.secret))).location).toBe('/account/keys');
    expect(browser.cookie).not.toBe(old);
    expect(await countSessions()).toBe(before);
  });

  it('needs a code to set a password by a link, which works until then', async () => {
    const path = await passwordLink(world, person.id);
    const browser = new KeepingBrowser(world);
    const { location } = await browser.submit(path, { newPassword: NEW_PASSWORD });
    expect(location).toBe(`${SECOND_FACTOR}?to=%2Faccount`);
    expect(browser.has(SESSION)).toBe(false);
    expect((await enterPassword()).has(CHALLENGE)).toBe(true);
    expect((await enterPassword(NEW_PASSWORD)).has(CHALLENGE)).toBe(false);
    expect((await browser.open(path)).status).toBe(200);
    await enter(browser, codeNow(app.secret));
    expect(browser.has(SESSION)).toBe(true);
    expect((await browser.open(path)).status).toBe(404);
    expect((await enterPassword(NEW_PASSWORD)).has(CHALLENGE)).toBe(true);
  });

  it('sets no password by a link that another has replaced', async () => {
    const browser = new KeepingBrowser(world);
    await browser.submit(await passwordLink(world, person.id), { newPassword: NEW_PASSWORD });
    await passwordLink(world, person.id);
    expect((await enter(browser, codeNow(app.secret))).location).toBe('/sign-in');
  });

  it('needs no code for a link of the operator without the second factor', async () => {
    const browser = new KeepingBrowser(world);
    const path = await passwordLink(world, person.id, { withoutSecondFactor: true });
    expect((await browser.submit(path, { newPassword: NEW_PASSWORD })).location).toBe('/account');
    expect(browser.has(SESSION)).toBe(true);
    const { body } = await person.api.get<{ secondFactor: string | null }[]>(`/users/${person.id}/sessions`);
    expect(body.map(({ secondFactor }) => secondFactor)).toEqual([null]);
    expect((await browser.submit('/account/factors/remove')).location).toBe('/account/factors');
    expect((await enterPassword(NEW_PASSWORD)).has(SESSION)).toBe(true);
  });

  it('needs a code to change the password', async () => {
    const { browser } = app;
    const change = { password: PASSWORD, newPassword: NEW_PASSWORD };
    expect((await browser.submit('/account/password', change)).location).toMatch(/^\/sign-in\/second-factor/);
    expect((await enterPassword(NEW_PASSWORD)).has(CHALLENGE)).toBe(false);
    await enter(browser, codeNow(app.secret));
    expect((await enterPassword(NEW_PASSWORD)).has(CHALLENGE)).toBe(true);
  });

  it('needs a code to replace a password that everybody tries first', async () => {
    await world.admin.api.patch(`/users/${person.id}`, { password: 'password1' });
    const browser = new KeepingBrowser(world);
    const name = await nameOf();
    await browser.submit('/sign-in/new-password', { name, password: 'password1', newPassword: NEW_PASSWORD });
    expect([browser.has(CHALLENGE), browser.has(SESSION)]).toEqual([true, false]);
    expect((await enterPassword(NEW_PASSWORD)).has(CHALLENGE)).toBe(false);
    await enter(browser, codeNow(app.secret));
    expect(browser.has(SESSION)).toBe(true);
    expect((await enterPassword(NEW_PASSWORD)).has(CHALLENGE)).toBe(true);
  });

  it('refuses a form of another site', async () => {
    const browser = await enterPassword();
    const headers = { 'sec-fetch-site': 'cross-site' };
    const { status } = await browser.submit(SECOND_FACTOR, { code: codeNow(app.secret) }, headers);
    expect(status).toBe(403);
  });

  /** Lets many attempts fail at the same time, which would otherwise wait. */
  async function withoutWaits(work: () => Promise<unknown>): Promise<void> {
    const begin = vi.spyOn(SignInAttemptsService.prototype, 'begin').mockResolvedValue();
    try {
      await work();
    } finally {
      begin.mockRestore();
    }
  }
});
