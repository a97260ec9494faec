import { type Browser, type Page } from 'playwright-core';
import { invite } from '../invitations/invite';
import { violationsOf } from '../support/accessibility';
import { startCertifiedProvider } from '../support/certified-provider';
import { describeInBrowser, launchChromium } from '../support/chromium';
import { CLIENT_ID, CLIENT_SECRET } from '../support/oidc-provider';
import { passwordLink, PASSWORD } from '../support/sessions';
import { World } from '../support/world';

const KEY = 'certified';

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
    browser = await launchChromium();
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

  it('lets a person become a user, confirm who they are, and sign in again', async () => {
    await page.goto(addressOf('/account/keys'));
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Sign in with Certified' }).click();
    await signInThere('robin');
    // The provider says when the person signed in only if it is asked, so that the first sign-in is not recent.
    await page.getByRole('heading', { name: 'Sign in again' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Sign in with Certified' }).click();
    await signInThere('robin');
    await page.getByRole('heading', { name: 'API keys' }).waitFor();
    await page.goto(addressOf('/account'));
    expect(await page.getByLabel('Mail address').inputValue()).toBe('robin@example.com');
    await page.goto(addressOf('/account/identities'));
    expect(await page.getByRole('cell', { name: 'robin@example.com' }).count()).toBe(1);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Disconnect Certified' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('You need this to sign in.');
  });

  it.each([
    ['en', 'Create the account with Certified'],
    ['ja', 'Certifiedでアカウントを作成'],
  ])(
    'is on the page of an invitation in %s, which has no accessibility violation, and lets the person join without a script',
    async (locale, button) => {
      const { path, mailAddress } = await invite(world);
      await page.context().close();
      const open = async (javaScriptEnabled: boolean): Promise<void> => {
        page = await (await browser.newContext({ locale, javaScriptEnabled })).newPage();
        page.setDefaultTimeout(20_000);
        await page.goto(addressOf(path));
      };
      await open(true);
      expect(await page.locator('html').getAttribute('lang')).toBe(locale);
      expect(await page.getByRole('button', { name: button }).count()).toBe(1);
      expect(await violationsOf(page)).toEqual([]);
      await page.context().close();
      await open(false);
      await page.getByRole('button', { name: button }).click();
      await page.waitForURL(`${provider.issuer}/**`);
      await signInThere(`newcomer-${locale}`);
      await page.waitForURL(addressOf('/account'));
      expect(await page.locator('#mailAddress').inputValue()).toBe(mailAddress);
    },
  );

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
    expect(await page.getByRole('alert').textContent()).toContain('ask an administrator.');
    expect(await violationsOf(page)).toEqual([]);
  });
});
