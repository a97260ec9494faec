import { type Browser } from 'playwright-core';
import { MailSettingRepository } from '../../src/mail/data/mail-setting.repository';
import { hashToken } from '../../src/users/token';
import { violationsOf } from '../support/accessibility';
import { describeInBrowser, launchChromium } from '../support/chromium';
import { passwordLink, PASSWORD } from '../support/sessions';
import { type Person, World } from '../support/world';

const NEW_PASSWORD = 'seven purple elephants';

describeInBrowser('an account page in Chromium (CHROMIUM_PATH)', () => {
  let world: World;
  let browser: Browser;
  let person: Person;
  let loginName: string;

  beforeAll(async () => {
    // Nothing listens there: the pages about mail exist, and no letter is sent.
    world = await World.start({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'tracker@example.org' });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await (browser as Browser | undefined)?.close();
    await world.stop();
  });

  beforeEach(async () => {
    person = await world.addUser();
    loginName = (await person.api.get<{ userId: string }>('/users/myself')).body.userId;
  });

  const addressOf = (path: string): string => new URL(path, world.server.baseUrl).toString();

  it('needs no script to set and change a password, sign out and in, and add a key', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(addressOf(await passwordLink(world, person.id)));
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set your password' }).click();
    expect(new URL(page.url()).pathname).toBe('/account');
    const cookies = await context.cookies();
    expect(
      cookies.map(({ name, httpOnly, secure, sameSite }) => ({ name, httpOnly, secure, sameSite })),
    ).toEqual([
      { name: '__Host-pms', httpOnly: true, secure: true, sameSite: 'Lax' },
      { name: '__Host-pms-csrf', httpOnly: false, secure: true, sameSite: 'Lax' },
    ]);
    await page.getByLabel('Name', { exact: true }).fill('Robin Reporter');
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.getByRole('status').textContent()).toBe('Saved.');
    await page.getByRole('link', { name: 'Password' }).click();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Change your password' }).click();
    expect(new URL(page.url()).pathname).toBe('/account/sessions');
    await page.getByRole('button', { name: 'Sign out' }).click();
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    expect(await context.cookies()).toEqual([]);
    await page.goto(addressOf('/account/keys'));
    await page.getByLabel('Login name').fill(loginName);
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(await page.getByRole('alert').textContent()).toBe('The login name or the password is wrong.');
    await page.getByLabel('Password').fill(NEW_PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    expect(new URL(page.url()).pathname).toBe('/account/keys');
    await page.getByLabel('Purpose').fill('My script');
    await page.getByLabel('read', { exact: true }).check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const key = String(await page.locator('pre').textContent());
    const { status } = await world.anonymous.send('GET', '/users/myself', undefined, { 'X-API-Key': key });
    expect(status).toBe(200);
    await context.close();
  });

  it('accepts changes by scripts of the own origin, with the token', async () => {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    await page.goto(addressOf(await passwordLink(world, person.id)));
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button').click();
    const patch = `(token) => fetch('/api/v2/users/${person.id}', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', ...(token && { 'X-CSRF-Token': token }) },
      body: '{"name":"By a script"}',
    }).then(({ status }) => status)`;
    const token = "document.cookie.split('__Host-pms-csrf=')[1]";
    expect(await page.evaluate(`(${patch})('')`)).toBe(403);
    expect(await page.evaluate(`(${patch})(${token})`)).toBe(200);
    await context.close();
  });

  // Each page as it opens is looked at in `accessible-pages.e2e-spec.ts`.
  it('has no accessibility violation after a form was sent, and no error in the console', async () => {
    const context = await browser.newContext({ bypassCSP: true });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) faults.push(message.text());
    });
    const found: Record<string, string[]> = {};
    const open = (path: string): Promise<unknown> => page.goto(addressOf(path));
    await open('/sign-in');
    await open('/password/forgotten');
    await page.getByLabel('Login name or mail address').fill('nobody');
    await page.getByRole('button').click();
    found['a letter on its way'] = await violationsOf(page);
    const link = await passwordLink(world, person.id);
    await open(link);
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button').click();
    for (const path of [
      '/account',
      '/account/password',
      '/account/sessions',
      '/account/keys',
      '/account/notifications',
      '/account/factors',
    ])
      await open(path);
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    found['a new app'] = await violationsOf(page);
    await page.getByLabel('Code', { exact: true }).fill('wrong');
    await page.getByRole('button', { name: 'Confirm' }).click();
    found['a wrong code'] = await violationsOf(page);
    const token = 'T'.repeat(43);
    await world.dataSource.query(
      `INSERT INTO mail_letter (kind, user_id, unsubscribe_hash, state, attempt, next_at, lease_until, created)
       VALUES (1, ?, ?, 1, 1, 0, 0, ?)`,
      [person.id, hashToken(token), Date.now()],
    );
    await open(`/mail/unsubscribe/${token}`);
    await page.getByRole('button').click();
    found['no more letters'] = await violationsOf(page);
    const { mailAddress } = (await person.api.get<{ mailAddress: string }>('/users/myself')).body;
    await world.dataSource.query(
      'UPDATE mail_setting SET paused_address = ?, paused = ?, paused_reason = ? WHERE user_id = ?',
      [mailAddress, Date.now(), 'The mail server refuses the recipient: 550 5.1.1 No such user', person.id],
    );
    await open('/account/notifications');
    found['a paused address'] = await violationsOf(page);
    await open('/sign-in/confirm');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button').click();
    found['an error'] = await violationsOf(page);
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((path) => [path, []])));
    expect(Object.keys(found)).toHaveLength(6);
    // Browsers report the status of the page with the error.
    expect(faults.filter((text) => !text.includes('status of 400'))).toEqual([]);
    await context.close();
  });

  it('has no accessibility violation on the page with mail, which works without a script', async () => {
    const { mailAddress } = (await person.api.get<{ mailAddress: string }>('/users/myself')).body;
    const pause = {
      address: mailAddress,
      reason: 'The mail server refuses the recipient: 550',
      now: Date.now(),
    };
    await world.write((manager) => world.service(MailSettingRepository).pause(manager, person.id, pause));
    for (const locale of ['en', 'ja']) {
      const context = await browser.newContext({ bypassCSP: true, locale });
      const page = await context.newPage();
      await page.goto(addressOf(await passwordLink(world, world.admin.id)));
      await page.locator('input[type=password]').fill(PASSWORD);
      await page.getByRole('main').getByRole('button').click();
      await page.goto(addressOf('/account/mail'));
      expect(await page.getByText(mailAddress).count()).toBe(1);
      expect(await violationsOf(page)).toEqual([]);
      // The first button is that of the test.
      await page.getByRole('main').getByRole('button').first().click();
      expect(await page.getByRole('alert').textContent()).toContain('ECONNREFUSED');
      expect(await violationsOf(page)).toEqual([]);
      await context.close();
    }
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(addressOf(await passwordLink(world, world.admin.id)));
    await page.getByLabel('New password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Set your password' }).click();
    await page.getByRole('link', { name: 'Mail', exact: true }).click();
    await page.getByRole('button', { name: `Resume letters to ${mailAddress}` }).click();
    expect(await page.getByText(mailAddress).count()).toBe(0);
    await context.close();
  });
});
