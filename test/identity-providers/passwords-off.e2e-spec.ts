import { EnvironmentError } from '../../src/config/environment';
import { IdentityProvidersService } from '../../src/identity-providers/identity-providers.service';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { AddIdentityProviderDto } from '../../src/identity-providers/dto/add-identity-provider.dto';
import { generateEncryptionKey } from '../../src/encryption/encryption-keys';
import { PasswordsService } from '../../src/users/passwords/passwords.service';
import { ApiClient } from '../support/api';
import { KeepingBrowser } from '../support/browser';
import { CLIENT_ID, CLIENT_SECRET, TestProvider } from '../support/oidc-provider';
import { passwordLink, PASSWORD } from '../support/sessions';
import { createMigratedDatabase } from '../support/template';
import { type LastingTestDatabase } from '../support/database';
import { World } from '../support/world';
import { newPerson, SETTINGS, signInWith, userOf } from './provider';

const KEY = 'main';

describe('a service with PASSWORD_SIGN_IN=off', () => {
  let database: LastingTestDatabase;
  let provider: TestProvider;
  let world: World;
  let browser: KeepingBrowser;
  let admin: ApiClient;
  const encryptionKey = generateEncryptionKey();

  const start = (settings: Record<string, string>): Promise<World> =>
    World.start({ ...SETTINGS, ...settings, ENCRYPTION_KEY: encryptionKey, DATABASE_URL: database.url });

  beforeAll(async () => {
    database = await createMigratedDatabase();
    provider = await TestProvider.start();
    world = await start({});
    await world.service(IdentityProvidersService).add(COMMAND_LINE, {
      ...new AddIdentityProviderDto(),
      ...{
        key: KEY,
        name: 'Main',
        issuer: provider.issuer,
        clientId: CLIENT_ID,
        clientSecret: CLIENT_SECRET,
      },
      ...{ createsUsers: true, linksByMail: true, allowedDomains: ['*'] },
    });
    const { key } = world.admin;
    await world.stop();
    world = await start({ PASSWORD_SIGN_IN: 'off' });
    admin = new ApiClient(world.server.baseUrl, key);
  });
  afterAll(async () => {
    await world.stop();
    await provider.stop();
    await database.drop();
  });
  beforeEach(() => {
    browser = new KeepingBrowser(world);
  });

  /** Returns a user with a password that was set before. */
  async function addUserWithPassword(): Promise<{ id: number; userId: string; mailAddress: string }> {
    const { api, id } = await world.addUser();
    const passwords = world.service(PasswordsService);
    const hash = await passwords.hash(PASSWORD);
    await world.write((manager) => passwords.set(manager, { id, address: null }, id, hash));
    const { body } = await api.get<{ userId: string; mailAddress: string }>('/users/myself');
    return { id, ...body };
  }

  it('refuses passwords everywhere, in the same way for everybody', async () => {
    const { userId, mailAddress } = await addUserWithPassword();
    const page = await browser.open('/sign-in');
    expect(page.text).toContain('Sign in with Main');
    expect(page.text).not.toContain('password"');
    const answers = [];
    for (const [name, password] of [
      [userId, PASSWORD],
      [userId, 'wrong password'],
      ['nobody', PASSWORD],
    ] as const) {
      const { status, session, text } = await browser.signIn(name, password);
      answers.push([status, session, text.replaceAll(name, '')]);
    }
    expect(answers[0]).toEqual([403, undefined, expect.stringContaining('switched off')]);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const again = await browser.submit('/sign-in/new-password', {
      ...{ name: userId, password: PASSWORD, newPassword: 'seven purple elephants' },
    });
    expect([again.status, again.session]).toEqual([403, undefined]);
    await signInWith(provider, KEY, newPerson(world, { email: mailAddress }), browser);
    for (const [path, fields] of [
      ['/sign-in/confirm', { password: PASSWORD }],
      ['/account/password', { password: PASSWORD, newPassword: 'seven purple elephants' }],
    ] as const) {
      const answer = await browser.submit(path, fields);
      expect([path, answer.status, answer.text]).toEqual([
        path,
        403,
        expect.stringContaining('switched off'),
      ]);
    }
  });

  it('has no page to change a password, and no link to one', async () => {
    await signInWith(provider, KEY, newPerson(world), browser);
    const account = await browser.open('/account');
    expect([account.status, account.text]).toEqual([200, expect.stringContaining('href="/account/keys"')]);
    expect(account.text).not.toContain('/account/password');
    const page = await browser.open('/account/password');
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('switched off')]);
    expect(page.text).not.toContain('password"');
    const sent = await browser.submit('/account/password', { password: PASSWORD, newPassword: PASSWORD });
    expect([sent.status, sent.text]).toEqual([403, expect.stringContaining('switched off')]);
    expect(sent.text).not.toContain('password"');
  });

  it('lets a user sign in with a provider', async () => {
    const person = newPerson(world);
    await signInWith(provider, KEY, person, browser);
    expect(await userOf(browser)).toMatchObject({ mailAddress: person.email });
  });

  it('signs a user in once by a link of the operator, and makes no other links', async () => {
    const { id, userId } = await addUserWithPassword();
    const refused = await admin.post<{ errors: { message: string }[] }>(`/users/${id}/passwordLink`);
    expect([refused.status, refused.body.errors[0]!.message]).toEqual([
      403,
      expect.stringContaining('switched off'),
    ]);
    const path = await passwordLink(world, id);
    const page = await browser.open(path);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(`as ${userId}, once`)]);
    expect(page.text).not.toContain('type="password"');
    const copies = Array.from({ length: 5 }, () => new KeepingBrowser(world));
    const answers = await Promise.all(copies.map((copy) => copy.submit(path)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404, 404]);
    const signedIn = copies.find((copy) => copy.has('__Host-pms'))!;
    expect((await userOf(signedIn)).id).toBe(id);
  });

  it('refuses links that were made before', async () => {
    const { id } = await addUserWithPassword();
    const path = await passwordLink(world, id);
    await world.dataSource.query('UPDATE password_link SET by_operator = 0');
    for (const answer of [await browser.open(path), await browser.submit(path, { newPassword: PASSWORD })]) {
      expect([answer.status, answer.session, answer.text]).toEqual([
        403,
        undefined,
        expect.stringContaining('switched off'),
      ]);
    }
  });

  it('asks for the second factor of the user of a link, unless the operator made it otherwise', async () => {
    const { id } = await addUserWithPassword();
    await world.dataSource.query(
      'INSERT INTO totp (user_id, secret, confirmed, last_step) VALUES (?, NULL, ?, 0)',
      [id, Date.now()],
    );
    const asked = await browser.submit(await passwordLink(world, id));
    expect([asked.location, asked.session]).toEqual([expect.stringContaining('/second-factor'), undefined]);
    const answer = await browser.submit(await passwordLink(world, id, { withoutSecondFactor: true }));
    expect(answer.session).toBeDefined();
  });

  it('keeps the last provider', async () => {
    for (const answer of [
      await admin.patch(`/space/identityProviders/${KEY}`, { enabled: false }),
      await admin.delete(`/space/identityProviders/${KEY}`),
    ]) {
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('PASSWORD_SIGN_IN is off')]);
    }
    expect((await admin.get(`/space/identityProviders/${KEY}`)).body).toMatchObject({
      enabled: true,
    });
  });

  it('does not start without a provider', async () => {
    const other = await createMigratedDatabase();
    try {
      const starting = World.start({ PASSWORD_SIGN_IN: 'off', DATABASE_URL: other.url });
      await expect(starting).rejects.toThrow(EnvironmentError);
      await expect(starting).rejects.toThrow('pms sso add');
    } finally {
      await other.drop();
    }
  });
});
