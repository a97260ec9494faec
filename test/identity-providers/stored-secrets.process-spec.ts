import { EnvironmentError } from '../../src/config/environment';
import { KeepingBrowser } from '../support/browser';
import { useInstallations } from '../support/installations';
import { TestProvider } from '../support/oidc-provider';
import { type Environment, type World } from '../support/world';
import { addProvider, newPerson, SETTINGS, signInWith, userOf } from './provider';

const [OLD, NEW] = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64')) as [string, string];

describe('the client secret of an identity provider', () => {
  const installations = useInstallations();
  const { stop, restore } = installations;
  let provider: TestProvider;

  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());

  const start = (settings: Environment): Promise<World> => installations.start({ ...SETTINGS, ...settings });

  /** Starts a service with a provider and a user, and stops it. */
  async function prepare(settings: Environment) {
    const world = await start({ ...settings, ENCRYPTION_KEY: OLD });
    const key = await addProvider(world, provider);
    const person = newPerson(world);
    const browser = new KeepingBrowser(world);
    await signInWith(provider, key, person, browser);
    const { id } = await userOf(browser);
    await stop();
    return { key, person, id };
  }

  /** Returns the user as whom a person signs in; undefined if they cannot. */
  async function signIn(world: World, { key, person }: Awaited<ReturnType<typeof prepare>>) {
    const browser = new KeepingBrowser(world);
    const { status } = await browser.open(`/sign-in/sso/${key}`);
    if (status !== 303) return undefined;
    await signInWith(provider, key, person, browser);
    return (await userOf(browser)).id;
  }

  it('is re-encrypted with a new first key, after which the old is removable', async () => {
    const settings = await installations.newSettings();
    const prepared = await prepare(settings);
    await start({ ...settings, ENCRYPTION_KEY: `${NEW},${OLD}` });
    await stop();
    expect(await signIn(await start({ ...settings, ENCRYPTION_KEY: NEW }), prepared)).toBe(prepared.id);
  });

  it('is needed by the service to start, unless its key is lost; then it has to be entered again', async () => {
    const settings = await installations.newSettings();
    const prepared = await prepare(settings);
    const error: unknown = await start({ ...settings, ENCRYPTION_KEY: NEW }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(EnvironmentError);
    expect(String(error)).toContain('1 client secret of an identity provider is encrypted with the key');
    const world = await start({ ...settings, ENCRYPTION_KEY: NEW, REPLACE_LOST_SECRETS: 'true' });
    expect(await signIn(world, prepared)).toBeUndefined();
    const [{ secret, count }] = await world.dataSource.query<[{ secret: null; count: number | string }]>(
      'SELECT client_secret AS secret, (SELECT COUNT(*) FROM identity) AS count FROM identity_provider',
    );
    expect([secret, Number(count)]).toEqual([null, 1]);
  });

  it('is restored from a backup with another key, with the identities', async () => {
    const settings = await installations.newSettings();
    const prepared = await prepare(settings);
    const restored = { ...(await installations.newSettings(false)), ENCRYPTION_KEY: NEW };
    expect(await restore({ ...settings, ENCRYPTION_KEY: OLD }, restored)).toBeUndefined();
    expect(await signIn(await start(restored), prepared)).toBe(prepared.id);
  });
});
