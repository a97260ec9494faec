import { existsSync, readFileSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { startCertifiedProvider } from '../support/certified-provider';
import { CLIENT_ID, CLIENT_SECRET } from '../support/oidc-provider';
import { passwordLink, PASSWORD } from '../support/sessions';
import { World } from '../support/world';

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'];
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const KEY = 'certified';

// Node and npm are enough to run the suite; the build machine must have the browser.
const describeInBrowser = existsSync(executablePath) || process.env.CI === 'true' ? describe : describe.skip;

describeInBrowser('a certified provider in Chromium (CHROMIUM_PATH)', () => {
  let world: World;
  let browser: Browser;
  let provider: { issuer: string; stop: () => Promise<void> };
  let page: Page;

  beforeAll(async () => {
    world = await World.start({ IDENTITY_PROVIDER_ALLOW: '127.0.0.1,localhost' });
    const { origin } = new URL(world.server.baseUrl);
    provider = await startCertifiedProvider(`${origin}/sign-in/sso/${KEY}/callback`);
    await world.admin.api.post('/space/identityProviders', {
      ...{ key: KEY, name: 'Certified', issuer: provider.issuer },
      ...{ clientId: CLIENT_ID, clientSecret: CLIENT_SECRET },
      ...{ createsUsers: true, allowedDomains: ['example.com'] },
    });
    browser = await chromium.launch({ executablePath, args: FLAGS });
  });
  afterAll(async () => {
    await (browser as Browser | undefined)?.close();
    await provider.stop();
    await world.stop();
  });
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(20_000);
  });
  afterEach(() => page.context().close());

  const addressOf = (path: string): string => new URL(path, world.server.baseUrl).toString();

  /** Signs a person in on the pages of the provider, and consents where it asks. */
  async function signInThere(name: string): Promise<void> {
    await page.locator('input[name=login]').fill(name);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await consent();
  }

  async function consent(): Promise<void> {
    if (page.url().startsWith(provider.issuer)) await page.locator('button[type=submit]').click();
  }

  /** Lists what axe finds, for both colour schemes and on a narrow screen. */
  async function violations(): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      // Not by the page itself, whose policy allows no script.
      await page.evaluate(AXE);
      const result = await page.evaluate<{ violations: { id: string }[] }>('axe.run()');
      found.push(...result.violations.map(({ id }) => `${colorScheme}: ${id}`));
    }
    await page.setViewportSize({ width: 320, height: 640 });
    if (await page.evaluate('document.documentElement.scrollWidth > innerWidth')) found.push('too wide');
    await page.setViewportSize({ width: 1280, height: 800 });
    return found;
  }

  it('lets a person become a user, confirm who they are, and sign in again', async () => {
    await page.goto(addressOf('/account/keys'));
    expect(await violations()).toEqual([]);
    await page.getByRole('link', { name: 'Sign in with Certified' }).click();
    await signInThere('robin');
    // The provider says when the person signed in only if it is asked, so that the first sign-in is not recent.
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect(await violations()).toEqual([]);
    await page.getByRole('link', { name: 'Sign in with Certified' }).click();
    await signInThere('robin');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.goto(addressOf('/account'));
    expect(await page.getByLabel('Mail address').inputValue()).toBe('robin@example.com');
    await page.goto(addressOf('/account/identities'));
    expect(await page.getByRole('cell', { name: 'robin@example.com' }).count()).toBe(1);
    expect(await violations()).toEqual([]);
    await page.getByRole('button', { name: 'Disconnect Certified' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('You need this to sign in.');
  });

  it('is connected with a user by a form, which the content security policy lets lead there', async () => {
    await page.context().close();
    // The pages need no script.
    page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    const kim = await world.addUser();
    await page.goto(addressOf(await passwordLink(world, kim.id)));
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button').click();
    await page.goto(addressOf('/account/identities'));
    await page.getByRole('button', { name: 'Connect Certified' }).click();
    await page.waitForURL(`${provider.issuer}/**`);
    await signInThere('kim');
    await page.waitForURL(addressOf('/account/identities'));
    expect(await page.getByRole('cell', { name: 'kim@example.com' }).count()).toBe(1);
  });

  it('shows a page without flaws if the person has no account', async () => {
    await world.admin.api.patch(`/space/identityProviders/${KEY}`, { createsUsers: false });
    await page.goto(addressOf('/sign-in'));
    await page.getByRole('link', { name: 'Sign in with Certified' }).click();
    await signInThere('sam');
    await page.getByRole('heading', { name: 'Signing in did not work' }).waitFor();
    expect(await page.getByRole('alert').textContent()).toContain('Ask an administrator.');
    expect(await violations()).toEqual([]);
  });
});
