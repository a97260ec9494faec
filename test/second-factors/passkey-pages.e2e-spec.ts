import { type Browser, type CDPSession, type Page } from 'playwright-core';
import { RoleType } from '../../src/access/role-type';
import { violationsOf } from '../support/accessibility';
import { describeInBrowser, launchChromium } from '../support/chromium';
import { codeNow, forgetSteps, secretOf } from '../support/factors';
import { linkIn, useMailServer } from '../support/mail';
import { PASSWORD, passwordLink } from '../support/sessions';
import { World } from '../support/world';

describeInBrowser('a passkey in Chromium (CHROMIUM_PATH)', () => {
  const mail = useMailServer();
  let world: World;
  let browser: Browser;

  beforeAll(async () => {
    world = await World.start(mail.settings);
    browser = await launchChromium();
  });

  afterAll(async () => {
    await (browser as Browser | undefined)?.close();
    await world.stop();
  });

  /** At localhost: browsers accept no passkeys at an address without a name. */
  const addressOf = (path: string): string => {
    const address = new URL(path, world.server.baseUrl);
    address.hostname = 'localhost';
    return address.toString();
  };

  const pathOf = (page: Page): string => new URL(page.url()).pathname;

  /**
   * Gives a page an authenticator that verifies its user without asking.
   * @param fillsIn whether it also answers where the login name is entered, as soon as the page is open
   */
  async function addAuthenticator(
    page: Page,
    fillsIn = false,
  ): Promise<{ cdp: CDPSession; authenticatorId: string }> {
    if (!fillsIn) {
      await page.addInitScript(
        'PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)',
      );
    }
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    });
    return { cdp, authenticatorId };
  }

  /** Records what a page complains about, such as a refused script. */
  function faultsOf(page: Page): string[] {
    const faults: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    return faults;
  }

  async function addedUser(): Promise<{ id: number; loginName: string }> {
    const { id, api } = await world.addUser();
    return { id, loginName: (await api.get<{ userId: string }>('/users/myself')).body.userId };
  }

  async function signInByLink(page: Page, userId: number): Promise<void> {
    await page.goto(addressOf(await passwordLink(world, userId)));
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button').click();
  }

  async function requestPasskey(page: Page, name: string): Promise<void> {
    await page.goto(addressOf('/account/factors'));
    await page.getByLabel('Name of the new passkey').fill(name);
    await page.getByRole('button', { name: 'Add a passkey' }).click();
  }

  /** Adds the first passkey of a user, who then sees the recovery codes. */
  async function addPasskey(page: Page, name: string): Promise<void> {
    await requestPasskey(page, name);
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  }

  async function enterPassword(page: Page, loginName: string): Promise<void> {
    await page.goto(addressOf('/sign-in'));
    await page.getByLabel('Login name').fill(loginName);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  }

  async function newPage(options: Parameters<Browser['newContext']>[0] = {}): Promise<Page> {
    const context = await browser.newContext(options);
    return context.newPage();
  }

  const close = (page: Page): Promise<void> => page.context().close();

  it('signs its user in from the letter with the invitation on, beside an app and recovery codes', async () => {
    await world.admin.api.post('/invitations', {
      mailAddresses: ['robin@example.com'],
      roleType: RoleType.NormalUser,
    });
    const page = await newPage();
    const faults = faultsOf(page);
    await addAuthenticator(page);
    await page.goto(addressOf(linkIn(await mail.to('robin@example.com'), '/invitation/')));
    await page.getByLabel('Login name').fill('robin');
    await page.getByLabel('Name', { exact: true }).fill('Robin Reporter');
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button').click();
    expect(pathOf(page)).toBe('/account');
    await addPasskey(page, 'My laptop');
    const [recoveryCode = ''] = String(await page.locator('pre').textContent()).split('\n');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await page.waitForURL(addressOf('/account'));
    await page.goto(addressOf('/account/factors'));
    await page.getByRole('cell', { name: /UTC/ }).nth(1).waitFor();
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    const { id } = (await world.admin.api.get<{ id: number; userId: string }[]>('/users')).body.find(
      ({ userId }) => userId === 'robin',
    ) as { id: number };
    const secret = await secretOf(world, id);
    await page.getByLabel('Code', { exact: true }).fill(codeNow(secret));
    await page.getByRole('button', { name: 'Confirm' }).click();
    expect(pathOf(page)).toBe('/account/factors');
    await forgetSteps(world, id);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await enterPassword(page, 'robin');
    expect(pathOf(page)).toBe('/sign-in/second-factor');
    await page.getByLabel('Code', { exact: true }).fill(codeNow(secret));
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(pathOf(page)).toBe('/account');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await enterPassword(page, 'robin');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(addressOf('/account'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await enterPassword(page, 'robin');
    await page.getByLabel('Code', { exact: true }).fill(recoveryCode);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(pathOf(page)).toBe('/account');
    expect(faults).toEqual([]);
    await close(page);
  });

  it('confirms the sign-in, is renamed and removed', async () => {
    const page = await newPage();
    await addAuthenticator(page);
    await signInByLink(page, (await addedUser()).id);
    await addPasskey(page, 'First');
    await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
    await page.goto(addressOf('/sign-in/confirm?to=/account/factors'));
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.waitForURL(addressOf('/account/factors'));
    await page.getByLabel('Name of First').fill('Second');
    await page.getByRole('button', { name: 'Rename First' }).click();
    await page.getByRole('button', { name: 'Remove Second' }).click();
    await page.getByText('You have no passkeys.').waitFor();
    await close(page);
  });

  it('is offered where the login name is entered', async () => {
    const page = await newPage();
    const faults = faultsOf(page);
    await addAuthenticator(page, true);
    await signInByLink(page, (await addedUser()).id);
    await addPasskey(page, 'My laptop');
    await page.context().clearCookies();
    await page.goto(addressOf('/account/sessions'));
    await page.waitForURL(addressOf('/account/sessions'));
    await page.getByText('This browser').waitFor();
    expect(faults).toEqual([]);
    await close(page);
  });

  it('is not made twice by one authenticator, nor used where there is none', async () => {
    const page = await newPage();
    const { cdp, authenticatorId } = await addAuthenticator(page);
    await signInByLink(page, (await addedUser()).id);
    await addPasskey(page, 'First');
    await requestPasskey(page, 'Again');
    expect(await page.getByRole('alert').textContent()).toBe('This device already has a passkey for you.');
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId });
    await page.goto(addressOf('/sign-in'));
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('No passkey was used. Try again.');
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(true);
    await close(page);
  });

  it('is not asked for without JavaScript: the password and a recovery code suffice', async () => {
    const { id, loginName } = await addedUser();
    const withScript = await newPage();
    await addAuthenticator(withScript);
    await signInByLink(withScript, id);
    await addPasskey(withScript, 'My laptop');
    const [recoveryCode = ''] = String(await withScript.locator('pre').textContent()).split('\n');
    await close(withScript);
    const page = await newPage({ javaScriptEnabled: false });
    await page.goto(addressOf('/sign-in'));
    await page.getByText('Passkeys need JavaScript.').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
    await enterPassword(page, loginName);
    await page.getByText('Passkeys need JavaScript.').waitFor();
    await page.getByLabel('Code', { exact: true }).fill(recoveryCode);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.goto(addressOf('/account/factors'));
    await page.getByText('Passkeys need JavaScript.').waitFor();
    await page.getByLabel('Name of My laptop').fill('Laptop');
    await page.getByRole('button', { name: 'Rename My laptop' }).click();
    await page.getByRole('button', { name: 'Remove Laptop' }).click();
    await page.getByText('You have no passkeys.').waitFor();
    await close(page);
  });

  it('is not offered by a browser that knows no passkeys', async () => {
    const page = await newPage();
    await page.addInitScript('delete window.PublicKeyCredential');
    await page.goto(addressOf('/sign-in'));
    await page.getByText('This browser does not support passkeys.').waitFor();
    expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).count()).toBe(0);
    await close(page);
  });

  it.each(['en', 'ja'])(
    'has no accessibility violation in %s, in light and dark, and fits 320 pixels',
    async (locale) => {
      const page = await newPage({ bypassCSP: true, locale });
      await addAuthenticator(page);
      const { id, loginName } = await addedUser();
      const found: Record<string, string[]> = {};
      const check = async (name: string): Promise<void> => {
        found[name] = await violationsOf(page);
      };
      await page.goto(addressOf(await passwordLink(world, id)));
      await page.locator('#newPassword').fill(PASSWORD);
      await page.locator('main button').click();
      await page.goto(addressOf('/account/factors'));
      await check('no passkey');
      await page.locator('#name').fill('A name that is so long that it does not fit into a narrow column');
      await page.locator('form[data-passkey] button').click();
      await page.locator('pre').waitFor();
      await check('recovery codes');
      await page.goto(addressOf('/account/factors'));
      await check('a passkey');
      await page.locator('#name').fill('Again');
      await page.locator('form[data-passkey] button').click();
      await page.locator('[data-error]:visible').waitFor();
      await check('an error');
      await page.goto(addressOf('/sign-in/confirm'));
      await check('confirming');
      await page.context().clearCookies();
      await page.goto(addressOf('/sign-in'));
      await check('signing in');
      await page.locator('#name').fill(loginName);
      await page.locator('#password').fill(PASSWORD);
      await page.locator('main form').first().locator('button').click();
      expect(pathOf(page)).toBe('/sign-in/second-factor');
      await check('the second step');
      expect(await page.locator('html').getAttribute('lang')).toBe(locale);
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
      expect(Object.keys(found)).toHaveLength(7);
      await close(page);
    },
  );
});
