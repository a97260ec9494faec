import { KeepingBrowser } from '../support/browser';
import { TestProvider } from '../support/oidc-provider';
import { optionsIn, PASSKEY_ORIGIN, submitPasskey, TestAuthenticator } from '../support/passkeys';
import { type PageAnswer } from '../support/sessions';
import { useWorld } from '../support/world';
import { addProvider, comeBack, newPerson, removeProviders, SETTINGS, signInWith, userOf } from './provider';

describe('the last way in of a user', () => {
  const tested = useWorld({ ...SETTINGS, PUBLIC_URL: PASSKEY_ORIGIN });
  let provider: TestProvider;
  let browser: KeepingBrowser;
  let key: string;
  let userId: number;
  let identityId: number;

  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());
  beforeEach(async () => {
    const { world } = tested;
    key = await addProvider(world, provider);
    browser = new KeepingBrowser(world);
    await signInWith(provider, key, newPerson(world), browser);
    ({ id: userId } = await userOf(browser));
    [identityId] = (await idsOf('identities')) as [number];
  });
  afterEach(() => removeProviders(tested.world));

  async function idsOf(what: 'identities' | 'passkeys'): Promise<number[]> {
    const path = what === 'passkeys' ? 'secondFactors' : what;
    const { body } = await tested.world.admin.api.get<{ id: number }[] & { passkeys: { id: number }[] }>(
      `/users/${userId}/${path}`,
    );
    return (what === 'passkeys' ? body.passkeys : body).map(({ id }) => id);
  }

  const disconnect = (): Promise<PageAnswer> =>
    browser.submit(`/account/identities/${identityId}/disconnect`);

  const REFUSED = [400, expect.stringContaining('You need this to sign in.')];

  async function addPasskey(authenticator: TestAuthenticator): Promise<void> {
    const { status } = await submitPasskey(browser, authenticator);
    expect(status).toBe(200);
  }

  async function signInAlone(authenticator: TestAuthenticator): Promise<void> {
    browser = new KeepingBrowser(tested.world);
    const options = optionsIn(await browser.open('/sign-in'));
    const answer = await browser.submit('/sign-in/passkey', authenticator.get(options));
    expect(answer.status).toBe(303);
  }

  it('is no provider whose client secret is lost', async () => {
    const { world } = tested;
    const lost = await addProvider(world, provider);
    const { text } = await browser.submit(`/account/identities/${lost}/connect`);
    const [, address = ''] = /content="0; url=([^"]+)"/.exec(text) ?? [];
    await comeBack(browser, provider.authorize(address.replaceAll('&amp;', '&'), newPerson(world)));
    expect(await idsOf('identities')).toHaveLength(2);
    await world.dataSource.query('UPDATE identity_provider SET client_secret = NULL WHERE provider_key = ?', [
      lost,
    ]);
    const { status, text: page } = await disconnect();
    expect([status, page]).toEqual(REFUSED);
    const confirmation = await browser.open('/sign-in/confirm');
    expect(confirmation.text).toContain(`Provider ${key}`);
    expect(confirmation.text).not.toContain(`Provider ${lost}`);
  });

  it('is a passkey that has signed them in alone, and no other', async () => {
    const authenticator = new TestAuthenticator();
    await addPasskey(authenticator);
    const refused = await disconnect();
    expect([refused.status, refused.text]).toEqual(REFUSED);
    await signInAlone(authenticator);
    expect((await disconnect()).location).toBe('/account/identities');
    expect(await idsOf('identities')).toEqual([]);
  });

  it('is not removed by the user as a passkey, but by an Administrator', async () => {
    const { world } = tested;
    const authenticator = new TestAuthenticator();
    await addPasskey(authenticator);
    await signInAlone(authenticator);
    await disconnect();
    const [passkeyId] = (await idsOf('passkeys')) as [number];
    for (const path of [`/account/factors/passkeys/${passkeyId}/remove`, '/account/factors/remove']) {
      const { status, text } = await browser.submit(path);
      expect([path, status, text]).toEqual([path, ...REFUSED]);
    }
    expect(await idsOf('passkeys')).toEqual([passkeyId]);
    expect((await world.admin.api.delete(`/users/${userId}/passkeys/${passkeyId}`)).status).toBe(200);
  });

  it('does not keep a user who has none from disconnecting an identity that is of no use', async () => {
    const { world } = tested;
    await world.admin.api.patch(`/space/identityProviders/${key}`, { enabled: false });
    expect((await disconnect()).location).toBe('/account/identities');
  });
});
