import { SignInAttemptsService } from '../../src/sign-in/sign-in-attempts.service';
import { addProvider, newPerson, SETTINGS, signInWith } from '../identity-providers/provider';
import { ACCOUNT, invite } from '../invitations/invite';
import { KeepingBrowser, signInBrowser } from '../support/browser';
import { addApp } from '../support/factors';
import { TestProvider } from '../support/oidc-provider';
import { addPasskey, PASSKEY_ORIGIN } from '../support/passkeys';
import { type PageAnswer, PASSWORD, passwordLink } from '../support/sessions';
import { useWorld, type World } from '../support/world';

const JAPANESE = { 'Accept-Language': 'ja' };

/** Four English words in a row. */
const SENTENCE = /(?:[A-Za-z'’]+[,:;]? ){3,}[A-Za-z'’]+/;

/** A form of a page. */
interface Form {
  action: string;
  fields: Record<string, string>;
}

/** Returns the texts of a page that people read; not what they entered, nor codes and addresses. */
const visibleText = (html: string): string =>
  html
    .replace(/<(script|pre|code|textarea|option)\b[^>]*>[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, '\n')
    .replaceAll('&#39;', "'");

function formsOf(html: string): Form[] {
  return [...html.matchAll(/<form[^>]* action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, action = '', body = '']) => ({
      action,
      fields: Object.fromEntries(
        [...body.matchAll(/<(?:input|select|textarea)\b[^>]*>/g)].map(([tag]) => [
          /name="([^"]+)"/.exec(tag)?.[1] ?? '',
          /value="([^"]*)"/.exec(tag)?.[1] ?? '',
        ]),
      ),
    }),
  );
}

/** Fields that no person fills in. */
const HIDDEN = new Set(['csrf', 'to', 'credentialId', 'clientData', 'authenticatorData', 'signature']);

describe('a page in Japanese', () => {
  const tested = useWorld({
    ...SETTINGS,
    ...{ PUBLIC_URL: PASSKEY_ORIGIN, MAX_FAILED_KEYS: '100000' },
    ...{ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'tracker@example.com' },
  });
  let world: World;
  let provider: TestProvider;
  let key: string;

  beforeAll(async () => {
    ({ world } = tested);
    provider = await TestProvider.start();
    key = await addProvider(world, provider);
  });
  afterAll(() => provider.stop());

  async function forgetFailures(): Promise<void> {
    await world.dataSource.query('DELETE FROM sign_in_failures');
    (world.service(SignInAttemptsService) as unknown as { waits?: Map<string, number> }).waits?.clear();
  }

  function expectJapanese(what: unknown, { text }: PageAnswer): void {
    expect([what, SENTENCE.exec(visibleText(text))?.[0]]).toEqual([what, undefined]);
  }

  /** Sends a form with all kinds of bad input, and expects Japanese answers. Returns the number of answers. */
  async function sendBadInput(browser: KeepingBrowser, { action, fields }: Form): Promise<number> {
    const names = Object.keys(fields).filter((name) => name !== '' && !HIDDEN.has(name));
    const filled = (value: string): Record<string, string> => ({
      ...fields,
      ...Object.fromEntries(names.map((name) => [name, value])),
    });
    const inputs: [string, Record<string, string>, Record<string, string>?][] = [
      ['a token of nobody', { ...fields, csrf: 'x' }],
      ['another site', fields, { 'Sec-Fetch-Site': 'cross-site' }],
      ['a large form', { ...fields, more: 'x'.repeat(20_000) }],
      ['an unknown field', { ...fields, unknown: 'x' }],
    ];
    if (names.length > 0) {
      inputs.push(['nothing', filled('')], ['long texts', filled('x'.repeat(3000))]);
      inputs.push(['other characters', filled('\u0007☃')], ['a word', filled('nonsense')]);
      for (const name of names) inputs.push([`no ${name}`, { ...fields, [name]: '' }]);
    }
    if (/\/\d+\//.test(action)) {
      expectJapanese(action, await browser.submit(action.replace(/\/\d+\//, '/999999/'), fields, JAPANESE));
    }
    for (const [what, sent, headers] of inputs) {
      await forgetFailures();
      const answer = await browser.submit(action, sent, { ...JAPANESE, ...headers });
      expectJapanese([action, what], answer);
    }
    return inputs.length;
  }

  /** Opens pages, and sends bad input in each of their forms, except for those that end the session. */
  async function walk(browser: KeepingBrowser, paths: readonly string[]): Promise<string[]> {
    const actions = new Set<string>();
    for (const path of paths) {
      const page = await browser.open(path, JAPANESE);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text).toContain('<html lang="ja">');
      expectJapanese(path, page);
      for (const form of formsOf(page.text)) {
        const pattern = form.action.replace(/\/\d+(?=\/|$)/, '/:id');
        if (pattern === '/sign-out' || actions.has(pattern)) continue;
        actions.add(pattern);
        await sendBadInput(browser.copy(), form);
      }
    }
    return [...actions];
  }

  it('shows no English when a user who has signed in sends bad input', async () => {
    await world.addProject();
    const administrator = await world.addUser(1);
    const { browser } = await addPasskey(world, administrator.id);
    await world.admin.api.post(`/users/${administrator.id}/apiKeys`, { name: 'Script' });
    await invite(world);
    const kim = await world.addUser();
    const actions = await walk(browser, [
      ...['/account', '/account/password', '/account/identities', '/account/notifications'],
      ...['/account/sessions', '/account/invitations', '/account/keys', '/account/factors'],
      '/sign-in/confirm',
    ]);
    expect(actions.length).toBeGreaterThan(14);
    const fresh = await signInBrowser(world, kim.id);
    await fresh.submit('/account/factors/begin', {});
    expect(await walk(fresh, ['/account/factors/app'])).toContain('/account/factors/app');
  });

  it('shows no English when a person who has not signed in sends bad input', async () => {
    const kim = await world.addUser();
    await addApp(world, kim.id);
    const { userId: name } = (await kim.api.get<{ userId: string }>('/users/myself')).body;
    const waiting = new KeepingBrowser(world);
    await waiting.submit('/sign-in', { name, password: PASSWORD });
    const { path } = await invite(world);
    const sam = await world.addUser();
    const actions = [
      ...(await walk(waiting, ['/sign-in/second-factor'])),
      ...(await walk(new KeepingBrowser(world), ['/sign-in', '/password/forgotten', path])),
      ...(await walk(new KeepingBrowser(world), [await passwordLink(world, sam.id)])),
    ];
    expect(actions.length).toBeGreaterThan(5);
  });

  it.each<[string, () => Promise<PageAnswer>, string]>([
    [
      'a second app',
      async () => {
        const { browser } = await addApp(world, (await world.addUser()).id);
        return browser.submit('/account/factors/begin', {}, JAPANESE);
      },
      '認証アプリはすでに設定されています。',
    ],
    [
      'a common password',
      async () => {
        const path = await passwordLink(world, (await world.addUser()).id);
        return new KeepingBrowser(world).submit(path, { newPassword: 'password123' }, JAPANESE);
      },
      'よく使われるものです',
    ],
    [
      'a short password',
      async () => {
        const path = await passwordLink(world, (await world.addUser()).id);
        return new KeepingBrowser(world).submit(path, { newPassword: 'short' }, JAPANESE);
      },
      '新しいパスワードは8〜255文字で入力してください。',
    ],
    [
      'a login name that is taken',
      async () =>
        new KeepingBrowser(world).submit(
          (await invite(world)).path,
          { ...ACCOUNT, userId: 'admin', csrf: '' },
          JAPANESE,
        ),
      'このログイン名はすでに使われています',
    ],
    [
      'the address of a user',
      async () => {
        const browser = await signInBrowser(world, (await world.addUser(1)).id);
        const { mailAddress } = (await world.admin.api.get<{ mailAddress: string }>('/users/myself')).body;
        return browser.submit(
          '/account/invitations',
          { mailAddresses: mailAddress, roleType: '2' },
          JAPANESE,
        );
      },
      'すでにユーザーになっています',
    ],
    [
      'a key that has expired',
      async () => {
        const browser = await signInBrowser(world, (await world.addUser()).id);
        return browser.submit('/account/keys', { name: 'Old', expires: '2020-01-01' }, JAPANESE);
      },
      '最終日が過去の日付です',
    ],
    [
      'the last way in',
      async () => {
        const browser = new KeepingBrowser(world);
        await signInWith(provider, key, newPerson(world), browser);
        const page = await browser.open('/account/identities');
        const [, action = ''] = /action="([^"]+\/disconnect)"/.exec(page.text) ?? [];
        return browser.submit(action, {}, JAPANESE);
      },
      'サインインに必要なため、解除できません',
    ],
    [
      'an unknown link',
      () => new KeepingBrowser(world).open('/invitation/unknown', JAPANESE),
      'リンクの有効期限',
    ],
  ])('names the problem with %s', async (_what, send, text) => {
    const answer = await send();
    expect(answer.text).toContain(text);
    expectJapanese(text, answer);
  });
});
