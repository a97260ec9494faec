import { RoleType } from '../../src/access/role-type';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { generateEncryptionKey } from '../../src/encryption/encryption-keys';
import { AddIdentityProviderDto } from '../../src/identity-providers/dto/add-identity-provider.dto';
import { IdentityProvidersService } from '../../src/identity-providers/identity-providers.service';
import {
  addProvider,
  comeBack,
  newPerson,
  removeProviders,
  SETTINGS,
  signInWith,
  userOf,
} from '../identity-providers/provider';
import { ApiClient } from '../support/api';
import { KeepingBrowser, signInBrowser } from '../support/browser';
import { type LastingTestDatabase } from '../support/database';
import { CLIENT_ID, CLIENT_SECRET, TestProvider } from '../support/oidc-provider';
import { everythingStored } from '../support/records';
import { type PageAnswer } from '../support/sessions';
import { createMigratedDatabase } from '../support/template';
import { type Person, useWorld, World } from '../support/world';
import { ACCOUNT, auditLogOf, invite } from './invite';

/** Sends a browser to a provider by the form of an invitation's page, and returns the address there. */
async function leaveToJoin(browser: KeepingBrowser, path: string, key: string): Promise<string> {
  const { status, text } = await browser.submit(`${path}/sso/${key}`, { csrf: '' });
  const [, address] = /content="0; url=([^"]+)"/.exec(text) ?? [];
  if (address === undefined) throw new Error(`${status} ${text}`);
  return address.replaceAll('&amp;', '&');
}

describe('accepting an invitation with an identity provider', () => {
  const tested = useWorld(SETTINGS);
  let provider: TestProvider;
  let key: string;
  let browser: KeepingBrowser;

  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());
  beforeEach(async () => {
    key = await addProvider(tested.world, provider, { createsUsers: false, allowedDomains: [] });
    browser = new KeepingBrowser(tested.world);
  });
  afterEach(() => removeProviders(tested.world));

  const join = async (
    path: string,
    person = newPerson(tested.world),
    one = browser,
    providerKey = key,
  ): Promise<PageAnswer> =>
    comeBack(one, provider.authorize(await leaveToJoin(one, path, providerKey), person));

  const countOf = async (table: string): Promise<number> => {
    const [row] = await tested.world.dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM \`${table}\``,
    );
    return Number(row.count);
  };

  it('makes the person a user with the address and the rights of the invitation, who then signs in with it', async () => {
    const { world } = tested;
    const project = await world.addProject();
    const { path, mailAddress, id } = await invite(world, {
      roleType: RoleType.Reporter,
      projectIds: [project.id],
    });
    expect((await browser.open(path)).text).toContain(`Create the account with Provider ${key}`);
    const person = newPerson(world, { email: 'private@elsewhere.test', email_verified: false });
    const answer = await join(path, person);
    expect([answer.status, answer.location]).toEqual([303, '/account']);
    const user = await userOf(browser);
    expect(user).toMatchObject({
      userId: person.preferred_username,
      name: person.name,
      mailAddress,
      roleType: RoleType.Reporter,
    });
    const { body: members } = await world.admin.api.get<{ id: number }[]>(`/projects/${project.id}/users`);
    expect(members.map((member) => member.id)).toContain(user.id);
    expect((await auditLogOf(world, 5)).map(({ action, actorId }) => [action, actorId])).toEqual(
      ['user.add', 'invitation.accept', 'projectUser.add', 'identity.add', 'session.add'].map((action) => [
        action,
        user.id,
      ]),
    );
    const { body } = await world.admin.api.get<object[]>(`/invitations?minId=${id}&maxId=${id}`);
    expect(body).toMatchObject([{ acceptedUser: { id: user.id } }]);
    expect((await new KeepingBrowser(world).open(path)).status).toBe(404);
    const again = new KeepingBrowser(world);
    await signInWith(provider, key, person, again);
    expect((await userOf(again)).id).toBe(user.id);
  });

  it('gives the role of the groups, if the provider decides roles', async () => {
    const { world } = tested;
    await world.admin.api.patch(`/space/identityProviders/${key}`, { groupRoles: ['4:viewers'] });
    const { path } = await invite(world, { roleType: RoleType.Administrator });
    await join(path, newPerson(world, { groups: ['viewers'] }));
    expect(await userOf(browser)).toMatchObject({ roleType: RoleType.Viewer });
  });

  it('lets in one of five who come back at once', async () => {
    const { world } = tested;
    const { path } = await invite(world);
    const browsers = Array.from({ length: 5 }, () => new KeepingBrowser(world));
    const returns: string[] = [];
    for (const one of browsers) {
      returns.push(provider.authorize(await leaveToJoin(one, path, key), newPerson(world)));
    }
    const users = await countOf('user');
    const answers = await Promise.all(returns.map((address, at) => comeBack(browsers[at]!, address)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404, 404, 404]);
    expect(await countOf('user')).toBe(users + 1);
    expect(answers.find(({ status }) => status === 404)?.text).toContain('the link no longer works');
  });

  it('begins only by the form of the page', async () => {
    const { world } = tested;
    const { path } = await invite(world);
    expect((await browser.open(`${path}/sso/${key}`)).status).toBe(405);
    const foreign = await browser.submit(
      `${path}/sso/${key}`,
      { csrf: '' },
      { 'Sec-Fetch-Site': 'cross-site' },
    );
    expect(foreign.status).toBe(403);
    const framed = await browser.submit(
      `${path}/sso/${key}`,
      { csrf: '' },
      { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'iframe' },
    );
    expect(framed.status).toBe(403);
    expect(await countOf('sso_attempt')).toBe(0);
    expect((await browser.open(path)).status).toBe(200);
  });

  it('counts wrong links, and knows no provider that is disabled or unknown', async () => {
    const { world } = tested;
    const { path } = await invite(world);
    const disabled = await addProvider(world, provider, { enabled: false });
    for (const one of [`/invitation/unknown/sso/${key}`, `${path}/sso/unknown`, `${path}/sso/${disabled}`]) {
      expect([one, (await browser.submit(one, { csrf: '' })).status]).toEqual([one, 404]);
    }
    expect((await browser.open(path)).text).not.toContain(disabled);
  });

  it('is bound to the browser, the provider and one return', async () => {
    const { world } = tested;
    const { path } = await invite(world);
    const other = await addProvider(world, provider, { createsUsers: false, allowedDomains: [] });
    const address = provider.authorize(await leaveToJoin(browser, path, key), newPerson(world));
    const stranger = await comeBack(new KeepingBrowser(world), address);
    expect([stranger.status, stranger.text]).toEqual([
      400,
      expect.stringContaining('<code>no_attempt</code>'),
    ]);
    const mixed = await comeBack(browser, address.replace(`/sso/${key}/`, `/sso/${other}/`));
    expect([mixed.status, mixed.text]).toEqual([400, expect.stringContaining('<code>other_provider</code>')]);
    expect((await comeBack(browser, address)).status).toBe(400);
    // None of them has used the invitation up.
    expect((await join(path)).status).toBe(303);
  });

  it('refuses a person who is a user, and leaves the invitation to somebody else', async () => {
    const { world } = tested;
    const person = newPerson(world);
    await join((await invite(world)).path, person);
    const { path } = await invite(world);
    const before = await everythingStored(world);
    const again = new KeepingBrowser(world);
    const refused = await join(path, person, again);
    expect([refused.status, refused.session, refused.text]).toEqual([
      409,
      undefined,
      expect.stringContaining('<code>identity_taken</code>'),
    ]);
    expect(await everythingStored(world)).toEqual(before);
    expect(
      (await new KeepingBrowser(world).submit(path, { ...ACCOUNT, userId: 'other', csrf: '' })).status,
    ).toBe(303);
  });

  it.each<[string, (invitation: { id: number }) => Promise<unknown>]>([
    ['is revoked', ({ id }) => tested.world.admin.api.delete(`/invitations/${id}`)],
    [
      'expires',
      ({ id }) => tested.world.dataSource.query('UPDATE invitation SET expires = 1 WHERE id = ?', [id]),
    ],
  ])('adds nobody if the invitation %s while the person is at the provider', async (_what, end) => {
    const { world } = tested;
    const invitation = await invite(world);
    const address = provider.authorize(await leaveToJoin(browser, invitation.path, key), newPerson(world));
    await end(invitation);
    const users = await countOf('user');
    const answer = await comeBack(browser, address);
    expect([answer.status, answer.session]).toEqual([404, undefined]);
    expect(await countOf('user')).toBe(users);
  });

  it('adds nobody if the provider is disabled, or the inviter leaves, meanwhile', async () => {
    const { world } = tested;
    const inviter = await world.addUser(RoleType.Administrator);
    const { path } = await invite(world, {}, inviter);
    const first = provider.authorize(await leaveToJoin(browser, path, key), newPerson(world));
    await world.admin.api.patch(`/space/identityProviders/${key}`, { enabled: false });
    expect((await comeBack(browser, first)).status).toBe(502);
    await world.admin.api.patch(`/space/identityProviders/${key}`, { enabled: true });
    const second = provider.authorize(await leaveToJoin(browser, path, key), newPerson(world));
    await world.admin.api.delete(`/users/${inviter.id}`);
    expect((await comeBack(browser, second)).status).toBe(404);
  });

  it('replaces the session of a browser in which somebody else has signed in', async () => {
    const { world } = tested;
    const kim = await world.addUser();
    const shared = await signInBrowser(world, kim.id);
    const { path } = await invite(world);
    await join(path, newPerson(world), shared);
    expect((await userOf(shared)).id).not.toBe(kim.id);
    expect(await world.dataSource.query('SELECT id FROM `session` WHERE user_id = ?', [kim.id])).toEqual([]);
  });
});

describe('an invitation while passwords are switched off', () => {
  let database: LastingTestDatabase;
  let provider: TestProvider;
  let world: World;
  let admin: Person;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    provider = await TestProvider.start();
    const settings = { ...SETTINGS, ENCRYPTION_KEY: generateEncryptionKey(), DATABASE_URL: database.url };
    const first = await World.start(settings);
    await first.service(IdentityProvidersService).add(COMMAND_LINE, {
      ...new AddIdentityProviderDto(),
      ...{ key: 'main', name: 'Main', issuer: provider.issuer },
      ...{ clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
    });
    await first.stop();
    world = await World.start({ ...settings, PASSWORD_SIGN_IN: 'off' });
    admin = { ...first.admin, api: new ApiClient(world.server.baseUrl, first.admin.key) };
  });
  afterAll(async () => {
    await world.stop();
    await provider.stop();
    await database.drop();
  });

  it('is accepted with a provider, and with no password', async () => {
    const { path } = await invite(world, {}, admin);
    const browser = new KeepingBrowser(world);
    const page = await browser.open(path);
    expect(page.text).toContain('Create the account with Main');
    expect(page.text).not.toContain('type="password"');
    const refused = await browser.submit(path, { ...ACCOUNT, userId: 'secretive', csrf: '' });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('switched off')]);
    const address = provider.authorize(await leaveToJoin(browser, path, 'main'), newPerson(world));
    expect((await comeBack(browser, address)).location).toBe('/account');
    expect(await userOf(browser)).toMatchObject({ mailAddress: expect.stringMatching(/^kim/) as unknown });
  });
});
