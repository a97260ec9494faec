import { type TestPerson, type TestProvider, CLIENT_ID, CLIENT_SECRET } from '../support/oidc-provider';
import { type KeepingBrowser } from '../support/browser';
import { type PageAnswer } from '../support/sessions';
import { type World } from '../support/world';

/** The settings of a service whose providers are on this machine. */
export const SETTINGS = { IDENTITY_PROVIDER_ALLOW: '127.0.0.1' };

/** Adds a provider, and returns its key. */
export async function addProvider(
  world: World,
  provider: TestProvider | string,
  fields: object = {},
): Promise<string> {
  const key = world.uniqueName('p').replace(' ', '');
  const { status, body } = await world.admin.api.post('/space/identityProviders', {
    key,
    name: `Provider ${key}`,
    issuer: typeof provider === 'string' ? provider : provider.issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    allowedDomains: ['example.com'],
    createsUsers: true,
    ...fields,
  });
  if (status !== 201) throw new Error(`The provider was not added: ${JSON.stringify(body)}`);
  return key;
}

/** Removes all providers: a space has few of them. */
export async function removeProviders(world: World): Promise<void> {
  const { body } = await world.admin.api.get<{ key: string }[]>('/space/identityProviders');
  for (const { key } of body) await world.admin.api.delete(`/space/identityProviders/${key}`);
}

/** Sends the browser to a provider, and returns the address there. */
export async function leave(browser: KeepingBrowser, path: string): Promise<string> {
  const { status, location, text } = await browser.open(path);
  if (status !== 303 || location === undefined) throw new Error(`${path}: ${status} ${text}`);
  return location;
}

/** Opens the address to which a provider sends the browser back. */
export const comeBack = (browser: KeepingBrowser, address: string): Promise<PageAnswer> => {
  const { pathname, search } = new URL(address);
  return browser.open(pathname + search, { 'Sec-Fetch-Site': 'cross-site' });
};

/** Signs a person in with a provider. */
export async function signInWith(
  provider: TestProvider,
  key: string,
  person: TestPerson,
  browser: KeepingBrowser,
): Promise<PageAnswer> {
  return comeBack(browser, provider.authorize(await leave(browser, `/sign-in/sso/${key}`), person));
}

/** Returns a person with a verified mail address whom no other test knows. */
export function newPerson(world: World, fields: object = {}): TestPerson & { email: string } {
  const name = world.uniqueName('robin').replace(' ', '-');
  return {
    sub: `subject of ${name}`,
    email: `${name}@example.com`,
    email_verified: true,
    preferred_username: name,
    name: `Robin ${name}`,
    ...fields,
  };
}

/** Returns the user who is signed in in a browser. */
export async function userOf(browser: KeepingBrowser): Promise<{ id: number; userId: string }> {
  const { text } = await browser.send('GET', '/api/v2/users/myself');
  return JSON.parse(text) as { id: number; userId: string };
}
