import { type Browser, type Page } from 'playwright-core';
import { RoleType } from '../../src/access/role-type';
import { SCRIPT_PATH } from '../../src/pages/script';
import { STYLE_PATH } from '../../src/pages/style';
import { hashToken } from '../../src/users/token';
import { addProvider, SETTINGS } from '../identity-providers/provider';
import { invite } from '../invitations/invite';
import { isNarrow, violationsOf } from '../support/accessibility';
import { describeInBrowser, launchChromium } from '../support/chromium';
import { addApp } from '../support/factors';
import { TestProvider } from '../support/oidc-provider';
import { isPage, routesOf } from '../support/routes';
import { PASSWORD, passwordLink } from '../support/sessions';
import { type Person, type ProjectFixture, World } from '../support/world';

/** Routes that lead to the pages of a provider. */
const TO_PROVIDERS = ['/sign-in/sso/:providerKey', '/sign-in/confirm/sso/:providerKey'];

describeInBrowser('every page in Chromium (CHROMIUM_PATH)', () => {
  let world: World;
  let provider: TestProvider;
  let providerKey: string;
  let browser: Browser;
  let project: ProjectFixture;
  let documentId: string;

  beforeAll(async () => {
    world = await World.start({
      ...SETTINGS,
      // Nothing listens there: the pages about mail exist, and no letter is sent.
      ...{ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'tracker@example.org' },
    });
    provider = await TestProvider.start();
    providerKey = await addProvider(world, provider);
    browser = await launchChromium();
    project = await world.addProject();
    const { body } = await world.admin.api.post<{ id: string }>('/documents', {
      projectId: project.id,
      title: 'A document',
      content: '# Heading\n\nText with a [link](https://example.com).',
    });
    documentId = body.id;
  });

  afterAll(async () => {
    await (browser as Browser | undefined)?.close();
    await provider.stop();
    await world.stop();
  });

  const newPage = async (locale: string, javaScriptEnabled: boolean): Promise<Page> => {
    const context = await browser.newContext({ locale, javaScriptEnabled, bypassCSP: true });
    return context.newPage();
  };

  const open = async (page: Page, path: string): Promise<void> => {
    await page.goto(new URL(path, world.server.baseUrl).toString());
  };

  const signIn = async (page: Page, { id }: Person): Promise<void> => {
    await open(page, await passwordLink(world, id));
    await page.locator('#newPassword').fill(PASSWORD);
    await page.getByRole('main').getByRole('button').click();
  };

  /** Makes a link that ends the letters of a person. */
  const linkToEndLetters = async ({ id }: Person): Promise<string> => {
    const token = String(id).padEnd(43, 'T');
    await world.dataSource.query(
      `INSERT INTO mail_letter (kind, user_id, unsubscribe_hash, state, attempt, next_at, lease_until, created)
       VALUES (1, ?, ?, 1, 1, 0, 0, ?)`,
      [id, hashToken(token), Date.now()],
    );
    return `/mail/unsubscribe/${token}`;
  };

  /** Opens the page that asks for the second factor. */
  const openSecondStep = async (page: Page): Promise<void> => {
    const { id, api } = await world.addUser();
    await addApp(world, id);
    await open(page, '/sign-in');
    await page.locator('#name').fill((await api.get<{ userId: string }>('/users/myself')).body.userId);
    await page.locator('#password').fill(PASSWORD);
    await page.locator('main form').first().locator('button').click();
  };

  /** Pages of people who have not signed in, by their routes. */
  const PUBLIC: Readonly<Record<string, (page: Page, person: Person) => Promise<void>>> = {
    '/sign-in': (page) => open(page, '/sign-in?to=/account'),
    '/sign-in/second-factor': openSecondStep,
    '/sign-in/sso/:providerKey/callback': (page) =>
      open(page, `/sign-in/sso/${providerKey}/callback?state=x`),
    '/password/:token': async (page, { id }) => open(page, await passwordLink(world, id)),
    '/password/forgotten': (page) => open(page, '/password/forgotten'),
    '/invitation/:token': async (page) => open(page, (await invite(world)).path),
    '/mail/unsubscribe/:token': async (page, person) => open(page, await linkToEndLetters(person)),
  };

  /** Pages of an Administrator who has signed in. */
  const SIGNED_IN: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    '/sign-in/confirm': (page) => open(page, '/sign-in/confirm'),
    '/account': (page) => open(page, '/account'),
    '/account/password': (page) => open(page, '/account/password'),
    '/account/sessions': (page) => open(page, '/account/sessions'),
    '/account/keys': (page) => open(page, '/account/keys'),
    '/account/factors': (page) => open(page, '/account/factors'),
    '/account/factors/app': async (page) => {
      await open(page, '/account/factors');
      await page.locator('form[action="/account/factors/begin"] button').click();
    },
    '/account/identities': (page) => open(page, '/account/identities'),
    '/account/notifications': (page) => open(page, '/account/notifications'),
    '/account/invitations': (page) => open(page, '/account/invitations'),
    '/account/mail': (page) => open(page, '/account/mail'),
    '/view/:issueIdOrKey': (page) => open(page, `/view/${project.issueKey}`),
    '/alias/wiki/:wikiId': (page) => open(page, `/alias/wiki/${project.wikiId}`),
    '/document/:projectKey/:documentId': (page) => open(page, `/document/${project.key}/${documentId}`),
    '/git/:projectIdOrKey/:repoIdOrName/pullRequests/:number': (page) =>
      open(page, `/git/${project.key}/${project.repositoryName}/pullRequests/${project.pullRequestNumber}`),
    '/user/:userId': (page) => open(page, '/user/admin'),
    '/projects/:projectKey': (page) => open(page, `/projects/${project.key}`),
  };

  it('is looked at', () => {
    const pages = routesOf(world).filter(
      ({ method, path }) =>
        method === 'GET' && isPage(path) && ![`/${STYLE_PATH}`, `/${SCRIPT_PATH}`].includes(path),
    );
    expect(pages.map(({ path }) => path).sort()).toEqual(
      [...Object.keys(PUBLIC), ...Object.keys(SIGNED_IN), ...TO_PROVIDERS].sort(),
    );
  });

  /** Opens each page, and looks at it. */
  async function visit(
    { locale, javaScriptEnabled }: { locale: string; javaScriptEnabled: boolean },
    look: (name: string, page: Page) => Promise<void>,
  ): Promise<void> {
    const administrator = await world.addUser(RoleType.Administrator);
    for (const [route, show] of Object.entries(PUBLIC)) {
      const page = await newPage(locale, javaScriptEnabled);
      await show(page, administrator);
      await look(route, page);
      await page.context().close();
    }
    const page = await newPage(locale, javaScriptEnabled);
    await signIn(page, administrator);
    for (const [route, show] of Object.entries(SIGNED_IN)) {
      await show(page);
      await look(route, page);
    }
    await open(page, '/view/NOTHING-1');
    await look('a page that does not exist', page);
    await page.context().close();
  }

  it('has no accessibility violation, in light and dark, and fits 320 pixels', async () => {
    const found: Record<string, unknown> = {};
    await visit({ locale: 'en', javaScriptEnabled: true }, async (name, page) => {
      found[name] = await violationsOf(page);
    });
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, []])));
  });

  it.each(['en', 'ja'])('has a heading and fits 320 pixels in %s without a script', async (locale) => {
    const found: Record<string, unknown> = {};
    await visit({ locale, javaScriptEnabled: false }, async (name, page) => {
      found[name] = [
        await page.locator('html').getAttribute('lang'),
        await page.locator('h1').count(),
        await isNarrow(page),
      ];
    });
    expect(found).toEqual(Object.fromEntries(Object.keys(found).map((name) => [name, [locale, 1, true]])));
  });
});
