import { RoleType } from '../../src/access/role-type';
import { SingleSignOnService } from '../../src/identity-providers/sign-in/single-sign-on.service';
import { KeepingBrowser, signInBrowser } from '../support/browser';
import { addApp, codeNow } from '../support/factors';
import { TestProvider } from '../support/oidc-provider';
import { ageSessions, PASSWORD } from '../support/sessions';
import { aPasskey } from '../support/operations/users.operations';
import { useWorld } from '../support/world';
import {
  addProvider,
  comeBack,
  leave,
  newPerson,
  removeProviders,
  SETTINGS,
  signInWith,
  userOf,
} from './provider';

interface User {
  id: number;
  userId: string;
  name: string;
  roleType: number;
  mailAddress: string;
}

describe('single sign-on', () => {
  const tested = useWorld(SETTINGS);
  let provider: TestProvider;
  let browser: KeepingBrowser;

  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());
  beforeEach(() => {
    provider.tampering = {};
    browser = new KeepingBrowser(tested.world);
  });
  afterEach(() => removeProviders(tested.world));

  const users = async (): Promise<User[]> => (await tested.world.admin.api.get<User[]>('/users')).body;

  it('makes a new person a user, and signs them in as the same user from then on', async () => {
    const { world } = tested;
    const key = await addProvider(world, provider, { defaultRoleType: 3 });
    const person = newPerson(world);
    const first = await signInWith(provider, key, person, browser);
    expect([first.status, first.location]).toEqual([303, '/account']);
    const user = await userOf(browser);
    expect(user).toMatchObject({
      userId: person.preferred_username,
      name: person.name,
      mailAddress: person.email,
      roleType: RoleType.Reporter,
    });
    const again = new KeepingBrowser(world);
    // The mail address may change: it is the subject that counts.
    await signInWith(provider, key, { ...person, email: 'other@elsewhere.test', name: 'Other' }, again);
    expect(await userOf(again)).toEqual(user);
    const { body } = await world.admin.api.get(`/users/${user.id}/identities`);
    expect(body).toMatchObject([
      { providerKey: key, subject: person.sub, mailAddress: 'other@elsewhere.test' },
    ]);
  });

  it('sends PKCE, state and nonce, and only what the browser may see', async () => {
    const key = await addProvider(tested.world, provider);
    const url = new URL(await leave(browser, `/sign-in/sso/${key}`));
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: 'code',
      client_id: 'tracker',
      redirect_uri: `${new URL(tested.world.server.baseUrl).origin}/sign-in/sso/${key}/callback`,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[\w-]{43}$/) as string,
      nonce: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/) as string,
      code_challenge_method: 'S256',
    });
    expect(url.searchParams.get('state')).not.toBe(url.searchParams.get('nonce'));
  });

  it('asks the provider about itself once for many who sign in at once', async () => {
    const key = await addProvider(tested.world, provider);
    provider.requests.length = 0;
    const browsers = Array.from({ length: 20 }, () => new KeepingBrowser(tested.world));
    await Promise.all(browsers.map((one) => leave(one, `/sign-in/sso/${key}`)));
    expect(provider.requests).toEqual(['/.well-known/openid-configuration']);
  });

  it('goes to the page that asked for the sign-in, and never to another site', async () => {
    const { world } = tested;
    const key = await addProvider(world, provider);
    const person = newPerson(world);
    for (const [to, target] of [
      ['/account/keys?x=1', '/account/keys?x=1'],
      ['//evil.test', '/account'],
      ['https://evil.test', '/account'],
      ['/\\evil.test', '/account'],
    ] as const) {
      const address = await leave(browser, `/sign-in/sso/${key}?to=${encodeURIComponent(to)}`);
      expect((await comeBack(browser, provider.authorize(address, person))).location).toBe(target);
    }
  });

  it('makes one user of a person who comes back twice at once', async () => {
    const { world } = tested;
    const key = await addProvider(world, provider);
    const person = newPerson(world);
    const browsers = Array.from({ length: 5 }, () => new KeepingBrowser(world));
    const returns: string[] = [];
    for (const one of browsers) {
      returns.push(provider.authorize(await leave(one, `/sign-in/sso/${key}`), person));
    }
    const answers = await Promise.all(returns.map((address, index) => comeBack(browsers[index]!, address)));
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303, 303, 303]);
    expect((await users()).filter(({ mailAddress }) => mailAddress === person.email)).toHaveLength(1);
  });

  it('gives a new user another login name if theirs is taken, also by a user who has left', async () => {
    const { world } = tested;
    const key = await addProvider(world, provider);
    const name = world.uniqueName('kim').replace(' ', '');
    const names = [];
    for (let count = 0; count < 3; count++) {
      const one = new KeepingBrowser(world);
      await signInWith(provider, key, newPerson(world, { preferred_username: name }), one);
      const user = await userOf(one);
      names.push(user.userId);
      // Wrote something, so that the name stays theirs.
      if (count === 0) {
        const project = await world.addProject();
        await world.join(project, user);
        await world.addComment(project.issueThreadId, user);
        await world.admin.api.delete(`/users/${user.id}`);
      }
    }
    expect(names).toEqual([name, `${name}-2`, `${name}-3`]);
  });

  it('takes what the token lacks from the user info, unless that is about somebody else', async () => {
    const { world } = tested;
    const key = await addProvider(world, provider);
    const person = newPerson(world);
    const withoutMail = (claims: Record<string, unknown>): Record<string, unknown> => {
      const { email, email_verified, ...rest } = claims;
      return rest;
    };
    provider.tampering = { claims: withoutMail };
    await signInWith(provider, key, person, browser);
    expect(await userOf(browser)).toMatchObject({ mailAddress: person.email });
    const other = newPerson(world);
    provider.tampering = { claims: (claims) => withoutMail({ ...claims, sub: 'somebody else' }) };
    const { status, text } = await signInWith(provider, key, other, new KeepingBrowser(world));
    expect([status, text]).toEqual([400, expect.stringContaining('<code>json_attribute_comparison</code>')]);
  });

  describe('with a user who exists', () => {
    it('gives the user with a verified mail address only if the provider may, and removes the password', async () => {
      const { world } = tested;
      const kim = await world.addUser();
      const { body: before } = await kim.api.get<User>('/users/myself');
      const old = await signInBrowser(world, kim.id);
      const person = newPerson(world, { email: before.mailAddress.toUpperCase() });
      const strict = await addProvider(world, provider);
      const refused = await signInWith(provider, strict, person, browser);
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('<code>mail_taken</code>'),
      ]);
      const lenient = await addProvider(world, provider, { linksByMail: true, createsUsers: false });
      const accepted = await signInWith(provider, lenient, person, browser);
      expect(accepted.status).toBe(303);
      expect((await userOf(browser)).id).toBe(kim.id);
      expect((await old.open('/account')).location).toContain('/sign-in');
      const answer = await new KeepingBrowser(world).signIn(before.userId, PASSWORD);
      expect([answer.status, answer.session]).toEqual([400, undefined]);
      // Another person to whom the provider gives the same address later does not get the account.
      const second = await signInWith(
        provider,
        lenient,
        newPerson(world, { email: before.mailAddress }),
        new KeepingBrowser(world),
      );
      expect([second.status, second.text]).toEqual([
        403,
        expect.stringContaining('<code>has_other_ways</code>'),
      ]);
    });

    it('refuses to join a user with a passkey, which whoever entered the mail address could have added', async () => {
      const { world } = tested;
      const kim = await world.addUser();
      const { body } = await kim.api.get<User>('/users/myself');
      await aPasskey(world, undefined, kim);
      const key = await addProvider(world, provider, { linksByMail: true });
      const refused = await signInWith(provider, key, newPerson(world, { email: body.mailAddress }), browser);
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('<code>has_other_ways</code>'),
      ]);
      const { body: identities } = await kim.api.get<unknown[]>(`/users/${kim.id}/identities`);
      expect(identities).toEqual([]);
    });

    it('refuses a disabled user, and one who has left', async () => {
      const { world } = tested;
      const key = await addProvider(world, provider);
      const person = newPerson(world);
      await signInWith(provider, key, person, browser);
      const { id } = await userOf(browser);
      await world.admin.api.patch(`/users/${id}`, { enabled: false });
      const disabled = await signInWith(provider, key, person, new KeepingBrowser(world));
      expect([disabled.status, disabled.text]).toEqual([
        403,
        expect.stringContaining('<code>user_disabled</code>'),
      ]);
      expect((await browser.open('/account')).status).toBe(303);
      await world.admin.api.delete(`/users/${id}`);
      const [row] = await world.dataSource.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM identity WHERE user_id = ?',
        [id],
      );
      expect(Number(row.count)).toBe(0);
    });

    it('asks for their second factor, unless one of a trusted provider takes its place', async () => {
      const { world } = tested;
      const careful = await addProvider(world, provider);
      const person = newPerson(world);
      await signInWith(provider, careful, person, browser);
      const { id } = await userOf(browser);
      await world.dataSource.query(
        'INSERT INTO totp (user_id, secret, confirmed, last_step) VALUES (?, NULL, ?, 0)',
        [id, Date.now()],
      );
      const withMfa = { ...person, amr: ['pwd', 'mfa'] };
      const asked = await signInWith(provider, careful, withMfa, new KeepingBrowser(world));
      expect(asked.location).toContain('/sign-in/second-factor');
      expect(asked.session).toBeUndefined();
      await world.admin.api.patch(`/space/identityProviders/${careful}`, { trustsSecondFactor: true });
      expect((await signInWith(provider, careful, withMfa, new KeepingBrowser(world))).session).toBeDefined();
      const without = await signInWith(provider, careful, person, new KeepingBrowser(world));
      expect(without.session).toBeUndefined();
    });
  });

  describe('with groups', () => {
    const GROUPS = { groupRoles: ['1:admins', '4:viewers'], defaultRoleType: 3 };

    it('gives the role of the first group at each sign-in, and the default without one', async () => {
      const { world } = tested;
      const key = await addProvider(world, provider, GROUPS);
      const person = newPerson(world);
      const roles = [];
      for (const groups of [['staff', 'viewers', 'admins'], ['viewers'], 'admins', ['staff'], undefined]) {
        const one = new KeepingBrowser(world);
        await signInWith(provider, key, { ...person, groups }, one);
        roles.push(((await userOf(one)) as User).roleType);
      }
      expect(roles).toEqual([1, 4, 1, 3, 3]);
      // Too many for a token: the provider says where to ask, which says nothing about the role.
      await signInWith(provider, key, { ...person, groups: ['admins'] }, browser);
      const overfull = { ...person, _claim_names: { groups: 'src1' } };
      await signInWith(provider, key, overfull, browser);
      expect(((await userOf(browser)) as User).roleType).toBe(1);
    });

    it('gives the role of a group only after the second factor', async () => {
      const { world } = tested;
      const key = await addProvider(world, provider, GROUPS);
      const person = newPerson(world, { groups: ['viewers'] });
      await signInWith(provider, key, person, browser);
      const { id } = await userOf(browser);
      const { secret } = await addApp(world, id);
      const roleOf = async (): Promise<number> =>
        (await world.admin.api.get<User>(`/users/${id}`)).body.roleType;
      const one = new KeepingBrowser(world);
      const asked = await signInWith(provider, key, { ...person, groups: ['admins'] }, one);
      expect([asked.location, await roleOf()]).toEqual([expect.stringContaining('/second-factor'), 4]);
      await one.submit('/sign-in/second-factor', { code: '000000' });
      expect(await roleOf()).toBe(4);
      await one.submit('/sign-in/second-factor', { code: codeNow(secret) });
      expect([await roleOf(), ((await userOf(one)) as User).roleType]).toEqual([1, 1]);
    });

    it('leaves the last Administrator the role', async () => {
      const { world } = tested;
      const key = await addProvider(world, provider, { ...GROUPS, linksByMail: true });
      const { body: admin } = await world.admin.api.get<User>('/users/myself');
      const mailAddress = `${world.uniqueName('boss').replace(' ', '')}@example.com`;
      await world.admin.api.patch(`/users/${admin.id}`, { mailAddress });
      const answer = await signInWith(provider, key, newPerson(world, { email: mailAddress }), browser);
      expect(answer.status).toBe(303);
      expect(await userOf(browser)).toMatchObject({ id: admin.id, roleType: 1 });
    });
  });

  describe('to confirm who the user is', () => {
    /** Signs a person in whose session is old. */
    async function signInLongAgo(key: string, person = newPerson(tested.world)) {
      await signInWith(provider, key, person, browser);
      const { id } = await userOf(browser);
      await ageSessions(tested.world, id, 60 * 60_000);
      return { id, person };
    }

    it('asks the provider to ask again, and checks that it has', async () => {
      const { world } = tested;
      const key = await addProvider(world, provider);
      const { person } = await signInLongAgo(key);
      expect((await browser.open('/account/keys')).location).toContain('/sign-in/confirm');
      const page = await browser.open('/sign-in/confirm?to=/account/keys');
      expect(page.text).toContain(`href="/sign-in/confirm/sso/${key}?to=%2Faccount%2Fkeys"`);
      expect(page.text).not.toContain('type="password"');
      const address = await leave(browser, `/sign-in/confirm/sso/${key}?to=%2Faccount%2Fkeys`);
      expect(new URL(address).searchParams.get('prompt')).toBe('login');
      expect(new URL(address).searchParams.get('max_age')).toBe('0');
      const hourAgo = { ...person, auth_time: Math.floor(Date.now() / 1000) - 3600 };
      const old = await comeBack(browser, provider.authorize(address, hourAgo));
      expect([old.status, old.text]).toEqual([403, expect.stringContaining('<code>old_auth_time</code>')]);
      const again = await leave(browser, `/sign-in/confirm/sso/${key}?to=%2Faccount%2Fkeys`);
      const { location } = await comeBack(browser, provider.authorize(again, person));
      expect(location).toBe('/account/keys');
      expect((await browser.open('/account/keys')).status).toBe(200);
    });

    it('accepts a provider that does not say when, only if that is allowed', async () => {
      const { world } = tested;
      const key = await addProvider(world, provider);
      const person = newPerson(world, { auth_time: undefined });
      await signInWith(provider, key, person, browser);
      // Perhaps the person signed in at the provider days ago.
      expect((await browser.open('/account/keys')).location).toContain('/sign-in/confirm');
      const address = await leave(browser, `/sign-in/confirm/sso/${key}`);
      const refused = await comeBack(browser, provider.authorize(address, person));
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('<code>no_auth_time</code>'),
      ]);
      await world.admin.api.patch(`/space/identityProviders/${key}`, { acceptsMissingAuthTime: true });
      const again = await leave(browser, `/sign-in/confirm/sso/${key}`);
      expect((await comeBack(browser, provider.authorize(again, person))).status).toBe(303);
      expect((await browser.open('/account/keys')).status).toBe(200);
    });

    it('refuses another person', async () => {
      const { world } = tested;
      const key = await addProvider(world, provider);
      await signInLongAgo(key);
      const other = newPerson(world);
      await signInWith(provider, key, other, new KeepingBrowser(world));
      for (const [person, code] of [
        [other, 'other_user'],
        [newPerson(world), 'not_connected'],
      ] as const) {
        const address = await leave(browser, `/sign-in/confirm/sso/${key}`);
        const answer = await comeBack(browser, provider.authorize(address, person));
        expect([answer.status, answer.text]).toEqual([403, expect.stringContaining(`<code>${code}</code>`)]);
      }
      expect((await browser.open('/account/keys')).location).toContain('/sign-in/confirm');
    });
  });

  it('removes attempts that have expired', async () => {
    const { world } = tested;
    const key = await addProvider(world, provider);
    const address = await leave(browser, `/sign-in/sso/${key}`);
    await world.dataSource.query('UPDATE sso_attempt SET expires = ?', [Date.now() - 1]);
    const { text } = await comeBack(browser, provider.authorize(address, newPerson(world)));
    expect(text).toContain('<code>no_attempt</code>');
    expect(await world.service(SingleSignOnService).removeExpired(100)).toBe(1);
    expect(await world.service(SingleSignOnService).removeExpired(100)).toBe(0);
  });
});
