import { KeepingBrowser, signInBrowser } from '../support/browser';
import { addApp, codeNow, forgetSteps, recoveryCodesOf, secretOf } from '../support/factors';
import { PASSWORD } from '../support/sessions';
import { type Person, useWorld, type World } from '../support/world';

const OLD_MS = 11 * 60_000;

describe('setting up a second factor', () => {
  const tested = useWorld({ SPACE_NAME: 'Example & Co' });
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

  const factors = async (): Promise<unknown> =>
    (await person.api.get(`/users/${person.id}/secondFactors`)).body;

  it('shows the secret as text, as an address and as a picture without a request of its own', async () => {
    expect(await browser.submit('/account/factors/begin')).toMatchObject({
      status: 303,
      location: '/account/factors/app',
    });
    const { text } = await browser.open('/account/factors/app');
    const [, secret = ''] = /<code>([A-Z2-7]{32})<\/code>/.exec(text) ?? [];
    expect(text).toContain(`otpauth://totp/Example%20%26%20Co:user`);
    expect(text).toContain(`?secret=${secret}&amp;issuer=Example%20%26%20Co`);
    expect(text).toMatch(/<svg class="qr" viewBox="0 0 \d+ \d+" role="img" aria-label="[^"]+"><path d="M/);
    expect(text).not.toMatch(/<img|style=|<script/);
    expect(await factors()).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 });
  });

  it('needs a right first code', async () => {
    await browser.submit('/account/factors/begin');
    const { status, text } = await browser.submit('/account/factors/app', { code: '000000' });
    expect(status).toBe(400);
    expect(text).toContain('The code is wrong');
    expect(await factors()).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 });
    const code = codeNow(await secretOf(world, person.id));
    expect((await browser.submit('/account/factors/app', { code })).status).toBe(200);
    const { body } = await world.admin.api.get(`/users/${person.id}/secondFactors`);
    expect(body).toEqual({
      totp: { created: expect.any(String) },
      passkeys: [],
      recoveryCodesLeft: 10,
    });
  });

  it('gives ten recovery codes, which are stored as hashes', async () => {
    const { recoveryCodes } = await addApp(world, person.id);
    expect(new Set(recoveryCodes).size).toBe(10);
    const rows = await world.dataSource.query<{ code_hash: string }[]>(
      'SELECT code_hash FROM recovery_code WHERE user_id = ?',
      [person.id],
    );
    expect(rows).toHaveLength(10);
    for (const row of rows) expect(row.code_hash).toMatch(/^[0-9a-f]{64}$/);
  });

  it('stores the secret encrypted', async () => {
    const { secret } = await addApp(world, person.id);
    const [row] = await world.dataSource.query<{ secret: string }[]>(
      'SELECT secret FROM totp WHERE user_id = ?',
      [person.id],
    );
    expect(row?.secret).toMatch(/^[0-9a-f]{8}\.[\w-]+$/);
    expect(row?.secret).not.toContain(secret.toString('base64url'));
  });

  it('replaces the recovery codes on request', async () => {
    const app = await addApp(world, person.id);
    const { text } = await app.browser.submit('/account/factors/recovery-codes');
    const renewed = recoveryCodesOf(text);
    expect(new Set([...renewed, ...app.recoveryCodes]).size).toBe(20);
    expect(await factors()).toMatchObject({ recoveryCodesLeft: 10 });
  });

  it('begins anew until it is confirmed, and not afterwards', async () => {
    await browser.submit('/account/factors/begin');
    const first = await secretOf(world, person.id);
    await browser.submit('/account/factors/begin');
    const second = await secretOf(world, person.id);
    expect(second.equals(first)).toBe(false);
    await browser.submit('/account/factors/app', { code: codeNow(second) });
    expect((await browser.submit('/account/factors/begin')).status).toBe(409);
    expect((await secretOf(world, person.id)).equals(second)).toBe(true);
  });

  it('needs a recent sign-in', async () => {
    await world.dataSource.query('UPDATE `session` SET authenticated = ? WHERE user_id = ?', [
      Date.now() - OLD_MS,
      person.id,
    ]);
    // The session has been cached since the sign-in.
    await person.api.patch(`/users/${person.id}`, { name: 'Robin' });
    for (const path of ['/account/factors', '/account/factors/app']) {
      expect((await browser.open(path)).location).toMatch(/^\/sign-in\/confirm\?to=/);
    }
    for (const path of ['begin', 'app', 'recovery-codes', 'remove']) {
      expect((await browser.submit(`/account/factors/${path}`)).location).toBe(
        '/sign-in/confirm?to=%2Faccount%2Ffactors',
      );
    }
  });

  it('records the factor, its removal and new recovery codes in the audit log', async () => {
    const app = await addApp(world, person.id);
    await app.browser.submit('/account/factors/recovery-codes');
    await app.browser.submit('/account/factors/remove');
    const { body } =
      await world.admin.api.get<{ action: string; subjectId: number }[]>('/space/auditLog?count=100');
    const actions = body
      .filter(({ action, subjectId }) => /factor|recovery/i.test(action) && subjectId === person.id)
      .map(({ action }) => action);
    expect(actions.sort()).toEqual(['recoveryCodes.renew', 'secondFactor.add', 'secondFactor.delete']);
  });

  it('shows its pages in Japanese', async () => {
    const { text } = await browser.open('/account/factors');
    expect(text).toContain('Set up an authenticator app');
    expect((await browser.open('/account/factors', { 'accept-language': 'ja' })).text).toContain(
      '認証アプリを設定する',
    );
  });

  describe('when it is removed', () => {
    it('lets its user sign in with the password alone', async () => {
      const app = await addApp(world, person.id);
      await app.browser.submit('/account/factors/remove');
      expect(await factors()).toEqual({ totp: null, passkeys: [], recoveryCodesLeft: 0 });
      const { body } = await person.api.get<{ userId: string }>('/users/myself');
      const again = new KeepingBrowser(world);
      const { location } = await again.submit('/sign-in', { name: body.userId, password: PASSWORD });
      expect(location).toBe('/account');
      expect((await again.open('/account')).status).toBe(200);
    });

    it('is removable by an Administrator, but not by another user or a key with limits', async () => {
      await addApp(world, person.id);
      const path = `/users/${person.id}/secondFactors`;
      const other = await world.addUser();
      expect((await other.api.delete(path)).status).toBe(403);
      const { body: limited } = await world.admin.api.post<{ key: string }>(
        `/users/${world.admin.id}/apiKeys`,
        { name: 'Script', scopes: ['write', 'admin'] },
      );
      const withLimits = await world.anonymous.send('DELETE', path, undefined, { 'X-API-Key': limited.key });
      expect(withLimits.status).toBe(403);
      const { status, body } = await world.admin.api.delete(path);
      expect(status).toBe(200);
      expect(body).toEqual({
        totp: { created: expect.any(String) },
        passkeys: [],
        recoveryCodesLeft: 10,
      });
      expect((await world.admin.api.delete(path)).body).toEqual({
        totp: null,
        passkeys: [],
        recoveryCodesLeft: 0,
      });
    });
  });

  it('stays after a change of the password, and leaves with its user', async () => {
    await addApp(world, person.id);
    await person.api.patch(`/users/${person.id}`, { password: 'another good password' });
    expect(await factors()).toMatchObject({ recoveryCodesLeft: 10 });
    await world.addComment((await world.addProject()).issueThreadId, person);
    expect((await world.admin.api.delete(`/users/${person.id}`)).status).toBe(200);
    for (const table of ['totp', 'recovery_code']) {
      const rows = await world.dataSource.query<unknown[]>(`SELECT * FROM ${table} WHERE user_id = ?`, [
        person.id,
      ]);
      expect(rows).toEqual([]);
    }
  });

  it('accepts the first code once', async () => {
    await browser.submit('/account/factors/begin');
    const code = codeNow(await secretOf(world, person.id));
    const copies = Array.from({ length: 5 }, () => browser.copy());
    const answers = await Promise.all(copies.map((copy) => copy.submit('/account/factors/app', { code })));
    expect(answers.filter(({ text }) => recoveryCodesOf(text).length > 0)).toHaveLength(1);
    await forgetSteps(world, person.id);
  });
});
