import { Readable } from 'node:stream';
import { PasswordHasherService } from '../../src/users/passwords/password-hasher.service';
import { UserAdministrationService } from '../../src/users/user-administration.service';
import { RoleType } from '../../src/access/role-type';
import { everythingStored } from '../support/records';
import { ageSessions, Browser, passwordLink, PASSWORD, signedIn } from '../support/sessions';
import { type Person, useWorld } from '../support/world';

const DAY_MS = 24 * 60 * 60_000;
const NEW_PASSWORD = 'seven purple elephants';

describe('signing in by password', () => {
  const tested = useWorld({ MAX_PASSWORD_CHANGES: '1000' });
  let person: Person;
  let loginName: string;

  beforeEach(async () => {
    person = await tested.world.addUser();
    const { body } = await person.api.get<{ userId: string }>('/users/myself');
    loginName = body.userId;
  });

  const setPassword = (password: string): Promise<unknown> =>
    tested.world.admin.api.patch(`/users/${person.id}`, { password });

  it('starts a session that opens the account', async () => {
    await setPassword(PASSWORD);
    const browser = new Browser(tested.world);
    const answer = await browser.signIn(loginName, PASSWORD);
    expect(answer).toMatchObject({ status: 303, location: '/account' });
    const [cookie, csrf] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-pms=[\w-]{43}; Max-Age=7776000; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(csrf).toMatch(/^__Host-pms-csrf=[\w-]{43}; .*Path=\/; .*Secure; SameSite=Lax$/);
    const account = await browser.open('/account');
    expect(account.status).toBe(200);
    expect(account.text).toContain(loginName);
    expect(account.text).toContain(`value="${person.name}"`);
  });

  it('ends the session that the browser has until then, whoever has it', async () => {
    await setPassword(PASSWORD);
    const other = await tested.world.addUser();
    const browser = await signedIn(tested.world, other.id);
    const former = new Browser(tested.world, browser.session);
    const elsewhere = new Browser(tested.world);
    await elsewhere.signIn(loginName, PASSWORD);
    await browser.signIn(loginName, PASSWORD);
    expect((await browser.open('/account')).text).toContain(loginName);
    expect((await former.open('/account')).status).toBe(303);
    expect((await elsewhere.open('/account')).status).toBe(200);
  });

  it('gives the same answer for a wrong password, an unknown name, no password and a disabled user', async () => {
    const withoutPassword = await new Browser(tested.world).signIn(loginName, PASSWORD);
    await setPassword(PASSWORD);
    const wrong = await new Browser(tested.world).signIn(loginName, NEW_PASSWORD);
    const unknown = await new Browser(tested.world).signIn(`${loginName}x`, PASSWORD);
    await tested.world.admin.api.patch(`/users/${person.id}`, { enabled: false });
    const disabled = await new Browser(tested.world).signIn(loginName, PASSWORD);
    const plain = (text: string): string => text.replaceAll(`${loginName}x`, loginName);
    for (const answer of [withoutPassword, wrong, unknown, disabled]) {
      expect(answer.status).toBe(400);
      expect(answer.session).toBeUndefined();
      expect(answer.text).toContain('The login name or the password is wrong.');
      expect(plain(answer.text)).toBe(wrong.text);
    }
  });

  it('verifies a password for unknown names, too', async () => {
    const verify = vi.spyOn(tested.world.service(PasswordHasherService), 'verify');
    await new Browser(tested.world).signIn('nobody.at.all', PASSWORD);
    expect(verify).toHaveBeenCalledTimes(1);
    await expect(verify.mock.results[0]?.value).resolves.toBe(false);
    vi.restoreAllMocks();
  });

  it('returns to the page that asked for the sign-in, and to no other host', async () => {
    await setPassword(PASSWORD);
    const asked = await new Browser(tested.world).open('/account/keys?x=1');
    expect(asked).toMatchObject({ status: 303, location: '/sign-in?to=%2Faccount%2Fkeys%3Fx%3D1' });
    const page = await new Browser(tested.world).open('/sign-in?to=%2Faccount%2Fkeys%3Fx%3D1');
    expect(page.text).toContain('name="to" value="/account/keys?x=1"');
    const fields = { name: loginName, password: PASSWORD };
    const back = await new Browser(tested.world).submit('/sign-in', { ...fields, to: '/account/keys?x=1' });
    expect(back.location).toBe('/account/keys?x=1');
    const away = await new Browser(tested.world).submit('/sign-in', { ...fields, to: '//evil.test' });
    expect(away.location).toBe('/account');
  });

  it('refuses forms of other sites and of programs, and stores nothing', async () => {
    await setPassword(PASSWORD);
    const before = await everythingStored(tested.world);
    const fields = { name: loginName, password: PASSWORD };
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answer = await new Browser(tested.world).submit('/sign-in', fields, { 'Sec-Fetch-Site': site });
      expect(answer).toMatchObject({ status: 403, session: undefined });
    }
    expect(await everythingStored(tested.world)).toEqual(before);
  });

  it('refuses forms that are too large, of another type or with unknown fields', async () => {
    const browser = new Browser(tested.world);
    const large = await browser.submit('/sign-in', { name: 'x'.repeat(20_000), password: PASSWORD });
    expect(large.status).toBe(413);
    const json = await browser.submit('/sign-in', {}, { 'Content-Type': 'application/json' });
    expect(json.status).toBe(400);
    const unknown = await browser.submit('/sign-in', { name: 'x', password: PASSWORD, role: '1' });
    expect(unknown.status).toBe(400);
    expect(unknown.text).toContain('role');
  });

  it('answers 411 to a form that does not declare its length', async () => {
    const form = Readable.from([`name=x&password=${PASSWORD}`]);
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, text } = await new Browser(tested.world).send('POST', '/sign-in', form, type);
    expect(status).toBe(411);
    expect(text).toContain('The request must declare the length of its body.');
  });

  it('shows what was entered as text', async () => {
    const { text } = await new Browser(tested.world).signIn('"><script>alert(1)</script>', PASSWORD);
    expect(text).not.toContain('<script>');
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;');
  });

  it('requires another password in place of one that everybody tries first', async () => {
    await setPassword('password1');
    const browser = new Browser(tested.world);
    const asked = await browser.signIn(loginName, 'password1');
    expect(asked).toMatchObject({ status: 400, session: undefined });
    expect(asked.text).toContain('action="/sign-in/new-password"');
    const fields = { name: loginName, password: 'password1' };
    const common = await browser.submit('/sign-in/new-password', { ...fields, newPassword: 'Password123' });
    expect(common).toMatchObject({ status: 400, session: undefined });
    expect(common.text).toContain('Choose another');
    const chosen = await browser.submit('/sign-in/new-password', { ...fields, newPassword: NEW_PASSWORD });
    expect(chosen).toMatchObject({ status: 303, location: '/account' });
    expect(chosen.session).toBeDefined();
    expect((await browser.signIn(loginName, NEW_PASSWORD)).status).toBe(303);
  });

  it('replaces a hash that costs less than new ones', async () => {
    await setPassword(PASSWORD);
    const hashOf = async (): Promise<string> => {
      const [row] = await tested.world.dataSource.query<[{ hash: string }]>(
        'SELECT password_hash AS hash FROM user WHERE id = ?',
        [person.id],
      );
      return row.hash;
    };
    expect(await hashOf()).toMatch(/^scrypt\$16\$/);
    const hasher = tested.world.service(PasswordHasherService);
    hasher.cost = 32;
    await new Browser(tested.world).signIn(loginName, PASSWORD);
    hasher.cost = 16;
    expect(await hashOf()).toMatch(/^scrypt\$32\$/);
    expect((await new Browser(tested.world).signIn(loginName, PASSWORD)).status).toBe(303);
  });

  describe('beside a hash that costs less than new ones', () => {
    const CHEAP = 16;

    beforeEach(async () => {
      await setPassword(PASSWORD);
      tested.world.service(PasswordHasherService).cost = 2 * CHEAP;
    });
    afterEach(() => {
      vi.restoreAllMocks();
      tested.world.service(PasswordHasherService).cost = CHEAP;
    });

    it('succeeds in three browsers that replace it at once', async () => {
      const hasher = tested.world.service(PasswordHasherService);
      const hash = hasher.hash.bind(hasher);
      let waiting = 0;
      let goOn = (): void => undefined;
      const allWait = new Promise<void>((resolve) => (goOn = resolve));
      vi.spyOn(hasher, 'hash').mockImplementation(async (...parameters) => {
        if (++waiting === 3) goOn();
        await allWait;
        return hash(...parameters);
      });
      const answers = await Promise.all(
        Array.from({ length: 3 }, () => new Browser(tested.world).signIn(loginName, PASSWORD)),
      );
      expect(answers.map(({ status }) => status)).toEqual([303, 303, 303]);
    });

    it('refuses the password once another has replaced it', async () => {
      const hasher = tested.world.service(PasswordHasherService);
      const hash = hasher.hash.bind(hasher);
      vi.spyOn(hasher, 'hash').mockImplementationOnce(async (...parameters) => {
        await setPassword(NEW_PASSWORD);
        return hash(...parameters);
      });
      const answer = await new Browser(tested.world).signIn(loginName, PASSWORD);
      expect([answer.status, answer.session]).toEqual([400, undefined]);
      expect((await new Browser(tested.world).signIn(loginName, NEW_PASSWORD)).status).toBe(303);
    });
  });

  it('is shown in Japanese to browsers that prefer it', async () => {
    const { text } = await new Browser(tested.world).open('/sign-in', { 'Accept-Language': 'ja,en;q=0.5' });
    expect(text).toContain('<html lang="ja">');
    expect(text).toContain('サインイン');
  });

  it('is recorded in the audit log with the address', async () => {
    await setPassword(PASSWORD);
    await new Browser(tested.world).signIn(loginName, PASSWORD);
    const { body } = await tested.world.admin.api.get<object[]>('/space/auditLog?count=1');
    expect(body).toMatchObject([
      {
        action: 'session.add',
        actorId: person.id,
        address: '127.0.0.1',
        subjectName: loginName,
      },
    ]);
  });

  describe('with a link', () => {
    it('sets a password once, ends the other sessions and signs in', async () => {
      const other = await signedIn(tested.world, person.id);
      const path = await passwordLink(tested.world, person.id);
      const browser = new Browser(tested.world);
      expect((await browser.open(path)).text).toContain(loginName);
      const answer = await browser.submit(path, { newPassword: NEW_PASSWORD });
      expect(answer).toMatchObject({ status: 303, location: '/account' });
      expect((await other.open('/account')).location).toMatch(/^\/sign-in/);
      expect((await browser.open(path)).status).toBe(404);
      expect((await browser.submit(path, { newPassword: PASSWORD })).status).toBe(404);
      expect((await new Browser(tested.world).signIn(loginName, NEW_PASSWORD)).status).toBe(303);
    });

    it('works once for many at the same time', async () => {
      const path = await passwordLink(tested.world, person.id);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, number) =>
          new Browser(tested.world).submit(path, { newPassword: `${NEW_PASSWORD} ${number}` }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([303, ...Array<number>(7).fill(404)]);
    });

    it('shows the rules of passwords in the form', async () => {
      const path = await passwordLink(tested.world, person.id);
      const short = await new Browser(tested.world).submit(path, { newPassword: 'short' });
      expect(short.status).toBe(400);
      expect(short.text).toContain('New password must be');
      const common = await new Browser(tested.world).submit(path, { newPassword: 'iloveyou' });
      expect(common).toMatchObject({ status: 400, session: undefined });
    });

    it('works neither after a day, nor after another link, nor for disabled users', async () => {
      const former = await passwordLink(tested.world, person.id);
      const path = await passwordLink(tested.world, person.id);
      expect((await new Browser(tested.world).open(former)).status).toBe(404);
      await tested.world.dataSource.query('UPDATE password_link SET expires = ? WHERE user_id = ?', [
        Date.now(),
        person.id,
      ]);
      expect((await new Browser(tested.world).open(path)).status).toBe(404);
      const last = await passwordLink(tested.world, person.id);
      await tested.world.admin.api.patch(`/users/${person.id}`, { enabled: false });
      expect((await new Browser(tested.world).open(last)).status).toBe(404);
    });

    it('is made by Administrators, who see its address once', async () => {
      const { status, body } = await tested.world.admin.api.post<{ url: string }>(
        `/users/${person.id}/passwordLink`,
      );
      expect(status).toBe(201);
      const answer = await new Browser(tested.world).submit(new URL(body.url).pathname, {
        newPassword: NEW_PASSWORD,
      });
      expect(answer.status).toBe(303);
    });
  });

  describe('of a user who has signed in', () => {
    it('changes the password, and ends the other sessions', async () => {
      const other = await signedIn(tested.world, person.id);
      const browser = new Browser(tested.world);
      await browser.signIn(loginName, PASSWORD);
      const wrong = await browser.submit('/account/password', {
        password: `${PASSWORD}x`,
        newPassword: NEW_PASSWORD,
      });
      expect(wrong.status).toBe(400);
      expect(wrong.text).toContain('The current password is wrong.');
      const changed = await browser.submit('/account/password', {
        password: PASSWORD,
        newPassword: NEW_PASSWORD,
      });
      expect(changed).toMatchObject({ status: 303, location: '/account/sessions' });
      expect(changed.session?.token).not.toBe(browser.session?.token);
      expect((await browser.open('/account')).status).toBe(303);
      expect((await other.open('/account')).status).toBe(303);
      browser.session = changed.session;
      expect((await browser.open('/account')).status).toBe(200);
    });

    it('changes the name and the mail address', async () => {
      const browser = await signedIn(tested.world, person.id);
      const invalid = await browser.submit('/account', { name: 'New name', mailAddress: 'nothing' });
      expect(invalid.status).toBe(400);
      expect(invalid.text).toContain('value="New name"');
      const valid = await browser.submit('/account', { name: 'New name', mailAddress: 'new@example.com' });
      expect(valid.status).toBe(200);
      const { body } = await person.api.get('/users/myself');
      expect(body).toMatchObject({ name: 'New name', mailAddress: 'new@example.com' });
    });

    it('shows the projects of the user, with links', async () => {
      const [own, other] = [await tested.world.addProject(), await tested.world.addProject()];
      await tested.world.join(own, person);
      const browser = await signedIn(tested.world, person.id);
      const { text } = await browser.open('/account');
      expect(text).toContain(`<a href="/projects/${own.key}">Project ${own.key} (${own.key})</a>`);
      expect(text).not.toContain(other.key);
      expect((await browser.open(`/projects/${own.key}`)).status).toBe(200);
    });

    it('adds and revokes keys, after a recent sign-in', async () => {
      const browser = await signedIn(tested.world, person.id);
      const fields = {
        name: 'My script',
        scopes: ['read', 'write:issues'],
        agent: '',
        expires: '2099-12-31',
      };
      const added = await browser.submit('/account/keys', fields);
      expect(added.status).toBe(200);
      const key = /<pre>(pms_\w+)<\/pre>/.exec(added.text)?.[1];
      const { body: keys } = await person.api.get<{ id: number; name: string }[]>(
        `/users/${person.id}/apiKeys`,
      );
      const stored = keys.find(({ name }) => name === 'My script');
      expect(stored).toMatchObject({
        scopes: ['read', 'write:issues'],
        agent: null,
        expires: '2100-01-01T00:00:00Z',
      });
      const send = (): Promise<{ status: number }> =>
        tested.world.anonymous.send('GET', '/users/myself', undefined, { 'X-API-Key': String(key) });
      expect((await send()).status).toBe(200);
      await ageSessions(tested.world, person.id, 11 * 60_000);
      expect(await browser.open('/account/keys')).toMatchObject({
        status: 303,
        location: '/sign-in/confirm?to=%2Faccount%2Fkeys',
      });
      const tooLate = await browser.submit(`/account/keys/${stored?.id}/revoke`, {});
      expect(tooLate).toMatchObject({ status: 303, location: '/sign-in/confirm?to=%2Faccount%2Fkeys' });
      const confirmed = await browser.submit('/sign-in/confirm', {
        password: PASSWORD,
        to: '/account/keys',
      });
      expect(confirmed).toMatchObject({ status: 303, location: '/account/keys' });
      expect((await browser.open('/account')).status).toBe(303);
      browser.session = confirmed.session;
      expect((await browser.submit(`/account/keys/${stored?.id}/revoke`, {})).status).toBe(303);
      expect((await send()).status).toBe(401);
    });

    it('keeps what was chosen for a key that is refused, so that sending it again limits the key, too', async () => {
      const browser = await signedIn(tested.world, person.id);
      const fields = { name: '', scopes: ['read', 'write:issues'], agent: 'Claude', expires: '2099-12-31' };
      const { status, text } = await browser.submit('/account/keys', fields);
      expect(status).toBe(400);
      const checked = [...text.matchAll(/<input[^>]* value="([^"]+)" checked=""/g)].map(([, value]) => value);
      expect(checked).toEqual(['read', 'write:issues']);
      expect(text).toContain('<details open="">');
      expect(text).toContain('value="Claude"');
    });

    it('refuses to revoke keys of others', async () => {
      const other = await tested.world.addUser();
      const browser = await signedIn(tested.world, person.id);
      const { body: keys } = await other.api.get<{ id: number }[]>(`/users/${other.id}/apiKeys`);
      expect((await browser.submit(`/account/keys/${keys[0]?.id}/revoke`, {})).status).toBe(404);
      expect((await other.api.get('/users/myself')).status).toBe(200);
    });

    it('signs out', async () => {
      const browser = await signedIn(tested.world, person.id);
      const answer = await browser.submit('/sign-out', {});
      expect(answer).toMatchObject({ status: 303, location: '/sign-in' });
      expect(answer.headers.getSetCookie().join()).toContain('__Host-pms=;');
      expect((await browser.open('/account')).status).toBe(303);
    });

    it('sends no form without the token of the session', async () => {
      const browser = await signedIn(tested.world, person.id);
      for (const csrf of ['', 'x'.repeat(43)]) {
        const answer = await browser.submit('/account', { csrf, name: 'x', mailAddress: 'x@example.com' });
        expect([400, 403]).toContain(answer.status);
      }
      const { body } = await person.api.get('/users/myself');
      expect(body).toMatchObject({ name: person.name });
    });
  });

  it('does not reactivate users who have left', async () => {
    await setPassword(PASSWORD);
    await tested.world
      .service(UserAdministrationService)
      .remove({ id: tested.world.admin.id, roleType: RoleType.Administrator, address: null }, person.id);
    expect((await new Browser(tested.world).signIn(loginName, PASSWORD)).status).toBe(400);
  });

  it('keeps a session for 14 days without a use, and for 90 days in all', async () => {
    const browser = await signedIn(tested.world, person.id);
    await ageSessions(tested.world, person.id, 14 * DAY_MS - 60_000);
    expect((await browser.open('/account')).status).toBe(200);
    for (let days = 14; days < 90; days += 13) {
      await ageSessions(tested.world, person.id, 13 * DAY_MS);
      if (days + 13 < 90) expect((await browser.open('/account')).status).toBe(200);
    }
    expect((await browser.open('/account')).status).toBe(303);
    const idle = await signedIn(tested.world, person.id);
    await ageSessions(tested.world, person.id, 14 * DAY_MS);
    expect((await idle.open('/account')).status).toBe(303);
  });
});
