import { KeepingBrowser, signInBrowser } from '../support/browser';
import { TestProvider } from '../support/oidc-provider';
import { type PageAnswer } from '../support/sessions';
import { type Person, useWorld } from '../support/world';
import { addProvider, comeBack, newPerson, removeProviders, SETTINGS, signInWith, userOf } from './provider';

interface Identity {
  id: number;
  providerKey: string;
}

describe('an identity of a user', () => {
  const tested = useWorld(SETTINGS);
  let provider: TestProvider;
  let kim: Person;
  let browser: KeepingBrowser;
  let key: string;

  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());
  beforeEach(async () => {
    const { world } = tested;
    provider.tampering = {};
    kim = await world.addUser();
    browser = await signInBrowser(world, kim.id);
    key = await addProvider(world, provider, { createsUsers: false, allowedDomains: [] });
  });
  afterEach(() => removeProviders(tested.world));

  /** Sends the browser to the provider by the form, and returns the address there. */
  async function beginToConnect(one = browser, providerKey = key): Promise<string> {
    const { status, text } = await one.submit(`/account/identities/${providerKey}/connect`);
    if (status !== 200) throw new Error(`${status} ${text}`);
    const [, address = ''] = /content="0; url=([^"]+)"/.exec(text) ?? [];
    return address.replaceAll('&amp;', '&');
  }

  const connect = async (person: ReturnType<typeof newPerson>, one = browser): Promise<PageAnswer> =>
    comeBack(one, provider.authorize(await beginToConnect(one), person));

  const identitiesOf = async (userId = kim.id): Promise<Identity[]> =>
    (await tested.world.admin.api.get<Identity[]>(`/users/${userId}/identities`)).body;

  it('is connected by a form of the page, and then signs the user in', async () => {
    const { world } = tested;
    const person = newPerson(world, { email: 'other@elsewhere.test', email_verified: false });
    const page = await browser.open('/account/identities');
    expect(page.text).toContain(`Connect Provider ${key}`);
    const answer = await connect(person);
    expect([answer.status, answer.location]).toEqual([303, '/account/identities']);
    expect((await browser.open('/account/identities')).text).toContain('other@elsewhere.test');
    const other = new KeepingBrowser(world);
    await signInWith(provider, key, person, other);
    expect((await userOf(other)).id).toBe(kim.id);
    const [entry] = (await world.admin.api.get<object[]>('/space/auditLog?action[]=identity.add')).body;
    expect(entry).toMatchObject({
      action: 'identity.add',
      changes: [{ field: 'provider', from: null, to: key }],
    });
  });

  it('is not connected without the form, by an old session, or in another one', async () => {
    const { world } = tested;
    expect((await browser.open(`/account/identities/${key}/connect`)).status).toBe(405);
    const forged = await browser.submit(`/account/identities/${key}/connect`, { csrf: 'x' });
    expect(forged.status).toBe(403);
    const foreign = await browser.submit(
      `/account/identities/${key}/connect`,
      {},
      { 'Sec-Fetch-Site': 'cross-site' },
    );
    expect(foreign.status).toBe(403);
    // The user signs in anew, or another user does, while the browser is at the provider.
    const address = provider.authorize(await beginToConnect(), newPerson(world));
    const kept = browser.copy();
    await browser.submit('/sign-out');
    const { status, text } = await comeBack(kept, address);
    // Signing out ends what the session has begun.
    expect([status, text]).toEqual([400, expect.stringMatching(/<code>(session_ended|no_attempt)<\/code>/)]);
    expect(await identitiesOf()).toEqual([]);
  });

  it('belongs to one user, and a user has one at each provider', async () => {
    const { world } = tested;
    const person = newPerson(world);
    await connect(person);
    expect((await connect(person)).status).toBe(303);
    const second = await connect(newPerson(world));
    expect([second.status, second.text]).toEqual([
      409,
      expect.stringContaining('<code>user_connected</code>'),
    ]);
    const sam = await world.addUser();
    const other = await signInBrowser(world, sam.id);
    const taken = await connect(person, other);
    expect([taken.status, taken.text]).toEqual([409, expect.stringContaining('<code>identity_taken</code>')]);
    expect(await identitiesOf()).toHaveLength(1);
    expect(await identitiesOf(sam.id)).toEqual([]);
  });

  it('belongs to one user also if several connect it at once', async () => {
    const { world } = tested;
    const person = newPerson(world);
    const people = [kim, await world.addUser(), await world.addUser()];
    const browsers = await Promise.all(people.map(({ id }) => signInBrowser(world, id)));
    const returns = [];
    for (const one of browsers) returns.push(provider.authorize(await beginToConnect(one), person));
    const answers = await Promise.all(returns.map((address, index) => comeBack(browsers[index]!, address)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 409, 409]);
    const all = await Promise.all(people.map(({ id }) => identitiesOf(id)));
    expect(all.flat()).toHaveLength(1);
  });

  it('is disconnected by its user, whose other sessions then end', async () => {
    const { world } = tested;
    const person = newPerson(world);
    await connect(person);
    const other = new KeepingBrowser(world);
    await signInWith(provider, key, person, other);
    const [{ id }] = (await identitiesOf()) as [Identity];
    const answer = await browser.submit(`/account/identities/${id}/disconnect`);
    expect([answer.status, answer.location]).toEqual([303, '/account/identities']);
    expect((await browser.open('/account')).status).toBe(200);
    expect((await other.open('/account')).status).toBe(303);
    const again = await signInWith(provider, key, person, new KeepingBrowser(world));
    expect(again.text).toContain('<code>not_connected</code>');
  });

  it('is not disconnected by its user if it is their last way in, but by an Administrator', async () => {
    const { world } = tested;
    await world.admin.api.patch(`/space/identityProviders/${key}`, {
      createsUsers: true,
      allowedDomains: ['*'],
    });
    const person = newPerson(world);
    const robin = new KeepingBrowser(world);
    await signInWith(provider, key, person, robin);
    const user = await userOf(robin);
    const [{ id }] = (await identitiesOf(user.id)) as [Identity];
    const refused = await robin.submit(`/account/identities/${id}/disconnect`);
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining('You need this to sign in.'),
    ]);
    // A provider that is disabled is no way in.
    const disabled = await addProvider(world, provider, { enabled: true });
    await comeBack(robin, provider.authorize(await beginToConnect(robin, disabled), person));
    await world.admin.api.patch(`/space/identityProviders/${disabled}`, { enabled: false });
    expect((await robin.submit(`/account/identities/${id}/disconnect`)).status).toBe(400);
    expect((await world.admin.api.delete(`/users/${user.id}/identities/${id}`)).status).toBe(200);
    expect((await robin.open('/account')).status).toBe(303);
  });

  it('remains as the last way in if the user disconnects two at once', async () => {
    const { world } = tested;
    const open = { createsUsers: true, allowedDomains: ['*'] };
    await world.admin.api.patch(`/space/identityProviders/${key}`, open);
    const other = await addProvider(world, provider, open);
    const person = newPerson(world);
    const robin = new KeepingBrowser(world);
    await signInWith(provider, key, person, robin);
    const { id: userId } = await userOf(robin);
    await comeBack(robin, provider.authorize(await beginToConnect(robin, other), person));
    const ids = (await identitiesOf(userId)).map(({ id }) => id);
    const answers = await Promise.all(
      [...ids, ...ids].map((id) => robin.submit(`/account/identities/${id}/disconnect`)),
    );
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1);
    expect(await identitiesOf(userId)).toHaveLength(1);
  });

  it('is disconnected with a cookie only after a recent sign-in, and not with a limited key', async () => {
    const { world } = tested;
    await connect(newPerson(world));
    const [{ id }] = (await identitiesOf()) as [Identity];
    const { body } = await world.admin.api.post<{ key: string }>(`/users/${kim.id}/apiKeys`, {
      name: 'Limited',
      scopes: ['write'],
    });
    const limited = await world.anonymous.send('DELETE', `/users/${kim.id}/identities/${id}`, undefined, {
      'X-API-Key': body.key,
    });
    expect(limited.status).toBe(403);
    expect(await identitiesOf()).toHaveLength(1);
  });
});
