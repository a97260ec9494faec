import { hashRecoveryCode } from '../../src/second-factors/recovery-codes';
import { SignInAttemptsService } from '../../src/sign-in/sign-in-attempts.service';
import {
  addProvider,
  comeBack,
  leave,
  newPerson,
  SETTINGS,
  signInWith,
  userOf,
} from '../identity-providers/provider';
import { ACCOUNT, invite } from '../invitations/invite';
import { KeepingBrowser } from '../support/browser';
import { addApp, codeNow, forgetSteps, type TestApp } from '../support/factors';
import { killedAfter } from '../support/kills';
import { TestProvider } from '../support/oidc-provider';
import { addPasskey, optionsIn, PASSKEY_ORIGIN } from '../support/passkeys';
import { everythingStored } from '../support/records';
import { type PageAnswer, PASSWORD, passwordLink } from '../support/sessions';
import { isTried } from '../support/thoroughness';
import { type Person, useWorld, type World } from '../support/world';

/** One use of a credential, and what its owner does after a failure. */
interface Use {
  use: () => Promise<PageAnswer>;
  /** Absent if the same request is sent again. */
  again?: () => Promise<PageAnswer>;
}

/** Tables that a killed sign-in may change: failures are counted before a credential is checked, and a return from a provider is used up. */
const COUNTED = ['sign_in_failures', 'sso_attempt'];

describe('a sign-in that is killed at any of its statements', () => {
  const tested = useWorld({ ...SETTINGS, PUBLIC_URL: PASSKEY_ORIGIN });
  let world: World;
  let provider: TestProvider;
  let kim: Person;
  let name: string;

  beforeAll(async () => {
    ({ world } = tested);
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());
  beforeEach(async () => {
    kim = await world.addUser();
    name = (await kim.api.get<{ userId: string }>('/users/myself')).body.userId;
  });

  async function forgetFailures(): Promise<void> {
    await world.dataSource.query('DELETE FROM sign_in_failures');
    (world.service(SignInAttemptsService) as unknown as { waits?: Map<string, number> }).waits?.clear();
  }

  const stored = async (): Promise<Record<string, unknown[]>> => {
    const tables = Object.entries(await everythingStored(world));
    return Object.fromEntries(tables.filter(([table]) => !COUNTED.includes(table)));
  };

  const countOf = async (table: string): Promise<number> => {
    const [row] = await world.dataSource.query<[{ count: number | string }]>(
      `SELECT COUNT(*) AS count FROM \`${table}\``,
    );
    return Number(row.count);
  };

  /** Whether a page starts a session, or asks for a second factor. */
  const isDone = ({ session, location }: PageAnswer): boolean =>
    session !== undefined || location?.startsWith('/sign-in/second-factor') === true;

  /**
   * Uses a new credential for each statement of the sign-in, or for every third. Returns about how many there are, and the last use, whose
   * response counts as lost.
   */
  async function killAtEach(prepare: () => Promise<Use>): Promise<{ statements: number; last: Use }> {
    for (let statements = 0; ; statements++) {
      if (!isTried(statements)) continue;
      await forgetFailures();
      const use = await prepare();
      const before = await stored();
      const sessions = await countOf('session');
      const { result, wasKilled } = await killedAfter(world, statements, use.use);
      if (!wasKilled) {
        expect([statements, isDone(result)]).toEqual([statements, true]);
        return { statements, last: use };
      }
      expect([statements, result.status >= 500, isDone(result)]).toEqual([statements, true, false]);
      expect([statements, await stored()]).toEqual([statements, before]);
      const again = await (use.again ?? use.use)();
      expect([statements, isDone(again)]).toEqual([statements, true]);
      const added = again.session ? 1 : 0;
      expect([statements, await countOf('session')]).toEqual([statements, sessions + added]);
    }
  }

  /** Kills a sign-in at each statement; then lets one succeed whose response is lost, and expects the same credential to be refused. */
  async function expectAllOrNothing(prepare: () => Promise<Use>): Promise<void> {
    const { statements, last } = await killAtEach(prepare);
    expect(statements).toBeGreaterThan(5);
    const sessions = await countOf('session');
    expect(isDone(await last.use())).toBe(false);
    expect(await countOf('session')).toBe(sessions);
  }

  /** Lets the user begin with the password. */
  async function enterPassword(): Promise<KeepingBrowser> {
    const browser = new KeepingBrowser(world);
    await browser.submit('/sign-in', { name, password: PASSWORD });
    return browser;
  }

  /** A new password ends all sessions of its user. */
  const endSessions = (): Promise<unknown> =>
    world.dataSource.query('DELETE FROM `session` WHERE user_id = ?', [kim.id]);

  async function withApp(): Promise<TestApp> {
    const app = await addApp(world, kim.id);
    await endSessions();
    return app;
  }

  it('does nothing, and the password works again', async () => {
    await new KeepingBrowser(world).submit(await passwordLink(world, kim.id), { newPassword: PASSWORD });
    await killAtEach(() =>
      Promise.resolve({
        use: () => new KeepingBrowser(world).submit('/sign-in', { name, password: PASSWORD }),
      }),
    );
  });

  it('asks for the second factor again', async () => {
    await withApp();
    await killAtEach(() =>
      Promise.resolve({
        use: () => new KeepingBrowser(world).submit('/sign-in', { name, password: PASSWORD }),
      }),
    );
  });

  it('does not use a code of the app up', async () => {
    const { secret } = await withApp();
    await expectAllOrNothing(async () => {
      await forgetSteps(world, kim.id);
      const browser = await enterPassword();
      const code = codeNow(secret);
      // The browser keeps its challenge, since it never gets the response.
      return { use: () => browser.copy().submit('/sign-in/second-factor', { code }) };
    });
  });

  it('does not use a recovery code up', async () => {
    const { recoveryCodes } = await withApp();
    await expectAllOrNothing(async () => {
      const code = recoveryCodes[0] ?? '';
      await world.dataSource.query('DELETE FROM recovery_code WHERE user_id = ?', [kim.id]);
      await world.dataSource.query('INSERT INTO recovery_code (user_id, code_hash) VALUES (?, ?)', [
        kim.id,
        hashRecoveryCode(code),
      ]);
      const browser = await enterPassword();
      return { use: () => browser.copy().submit('/sign-in/second-factor', { code }) };
    });
  });

  it('does not use the answer of a passkey up', async () => {
    const { authenticator } = await addPasskey(world, kim.id);
    await expectAllOrNothing(async () => {
      const browser = new KeepingBrowser(world);
      const answer = authenticator.get(optionsIn(await browser.open('/sign-in')));
      return { use: () => browser.copy().submit('/sign-in/passkey', answer) };
    });
  });

  it('does not use the link to set a password up', async () => {
    await expectAllOrNothing(async () => {
      await endSessions();
      const path = await passwordLink(world, kim.id);
      return { use: () => new KeepingBrowser(world).submit(path, { newPassword: PASSWORD }) };
    });
  });

  it('does not set a new password before the code is accepted', async () => {
    const { secret } = await withApp();
    await expectAllOrNothing(async () => {
      await endSessions();
      await forgetSteps(world, kim.id);
      const browser = new KeepingBrowser(world);
      await browser.submit(await passwordLink(world, kim.id), { newPassword: 'seven purple elephants' });
      const code = codeNow(secret);
      return { use: () => browser.copy().submit('/sign-in/second-factor', { code }) };
    });
  });

  it('leaves a person who comes back from a provider as they were', async () => {
    const key = await addProvider(world, provider);
    const person = newPerson(world);
    const first = new KeepingBrowser(world);
    await signInWith(provider, key, person, first);
    const { id } = await userOf(first);
    await expectAllOrNothing(async () => {
      const browser = new KeepingBrowser(world);
      const address = provider.authorize(await leave(browser, `/sign-in/sso/${key}`), person);
      return {
        use: () => comeBack(browser.copy(), address),
        again: () => signInWith(provider, key, person, new KeepingBrowser(world)),
      };
    });
    const { body } = await world.admin.api.get<object[]>(`/users/${id}/identities`);
    expect(body).toHaveLength(1);
  });

  it('adds no half of a user who comes from a provider', async () => {
    const key = await addProvider(world, provider);
    await expectAllOrNothing(async () => {
      const browser = new KeepingBrowser(world);
      const person = newPerson(world);
      const address = provider.authorize(await leave(browser, `/sign-in/sso/${key}`), person);
      return {
        use: () => comeBack(browser.copy(), address),
        again: () => signInWith(provider, key, person, new KeepingBrowser(world)),
      };
    });
  });

  it('does not use an invitation up', async () => {
    const { id: projectId } = await world.addProject();
    await expectAllOrNothing(async () => {
      const { path } = await invite(world, { projectIds: [projectId] });
      const userId = world.uniqueName('invited').replace(' ', '');
      return { use: () => new KeepingBrowser(world).submit(path, { ...ACCOUNT, userId, csrf: '' }) };
    });
  });

  it('does not use an invitation up that is accepted with a provider', async () => {
    const key = await addProvider(world, provider, { createsUsers: false });
    await expectAllOrNothing(async () => {
      const { path } = await invite(world);
      const person = newPerson(world);
      const join = async (): Promise<{ browser: KeepingBrowser; address: string }> => {
        const browser = new KeepingBrowser(world);
        const { text } = await browser.submit(`${path}/sso/${key}`, { csrf: '' });
        const [, url = ''] = /content="0; url=([^"]+)"/.exec(text) ?? [];
        return { browser, address: provider.authorize(url.replaceAll('&amp;', '&'), person) };
      };
      const { browser, address } = await join();
      return {
        use: () => comeBack(browser.copy(), address),
        again: async () => {
          const second = await join();
          return comeBack(second.browser, second.address);
        },
      };
    });
  });
});
