import { RoleType } from '../../src/access/role-type';
import { type AuditAction } from '../../src/audit-log/audit-action';
import { MailSettingRepository } from '../../src/mail/data/mail-setting.repository';
import {
  addProvider,
  comeBack,
  leave,
  newPerson,
  SETTINGS,
  signInWith,
} from '../identity-providers/provider';
import { ACCOUNT, invite } from '../invitations/invite';
import { KeepingBrowser, signInBrowser } from '../support/browser';
import { addApp, codeNow, secretOf } from '../support/factors';
import { TestProvider } from '../support/oidc-provider';
import {
  addPasskey,
  creationOptionsIn,
  optionsIn,
  PASSKEY_ORIGIN,
  TestAuthenticator,
} from '../support/passkeys';
import { type PageAnswer, PASSWORD, passwordLink } from '../support/sessions';
import { isPage, routesOf } from '../support/routes';
import { useWorld, type World } from '../support/world';

const NEW_PASSWORD = 'seven purple elephants';
/** One that everybody tries first. */
const COMMON_PASSWORD = 'password123';

/** Sends the form of a page; what it needs has been prepared. */
type Act = () => Promise<PageAnswer>;

interface PageCase {
  actions: readonly AuditAction[];
  prepare: () => Promise<Act>;
}

/** Forms that change nothing which the audit log records, and why. */
const NOT_AUDITED: Readonly<Record<string, string>> = {
  '/account/factors/begin': 'the secret is no factor until a code confirms it',
  '/account/identities/:providerKey/connect': 'the return from the provider is recorded',
  '/invitation/:token/sso/:providerKey': 'the return from the provider is recorded',
  '/account/notifications': 'users choose only their own letters',
  '/mail/unsubscribe/:token': 'users choose only their own letters',
  '/mail/unsubscribe/:token/undo': 'users choose only their own letters',
  '/account/mail/test': 'it stores nothing',
  '/password/forgotten': 'nobody has proved who asks; a use of the link is recorded',
};

/** The one GET that writes. */
const CALLBACK = '/sign-in/sso/:providerKey/callback';

describe('the audit log of a page', () => {
  const tested = useWorld({
    ...SETTINGS,
    // Nothing listens there.
    ...{ PUBLIC_URL: PASSKEY_ORIGIN, SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'tracker@example.com' },
  });
  let world: World;
  let provider: TestProvider;

  beforeAll(async () => {
    ({ world } = tested);
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());

  const signedIn = async (roleType?: RoleType): Promise<{ id: number; browser: KeepingBrowser }> => {
    const { id } = await world.addUser(roleType);
    return { id, browser: await signInBrowser(world, id) };
  };

  const nameOf = async (id: number): Promise<string> =>
    (await world.admin.api.get<{ userId: string }>(`/users/${id}`)).body.userId;

  /** Returns the action of a form whose address begins and ends so. */
  const actionOf = async (browser: KeepingBrowser, page: string, end: string): Promise<string> => {
    const { text } = await browser.open(page);
    const action = [...text.matchAll(/<form[^>]* action="([^"]+)"/g)]
      .map(([, address = '']) => address)
      .find((address) => address.startsWith(page) && address.endsWith(end));
    if (action === undefined) throw new Error(`${page} has no form to ${end}`);
    return action;
  };

  const pause = async (id: number): Promise<void> => {
    const { mailAddress } = (await world.admin.api.get<{ mailAddress: string }>(`/users/${id}`)).body;
    const refusal = {
      address: mailAddress,
      reason: 'The mail server refuses the recipient',
      now: Date.now(),
    };
    await world.write((manager) => world.service(MailSettingRepository).pause(manager, id, refusal));
  };

  /** Sends a form of a user who has signed in. */
  const own =
    (path: string, fields: Record<string, string> = {}, roleType?: RoleType) =>
    async (): Promise<Act> => {
      const { browser } = await signedIn(roleType);
      return () => browser.submit(path, fields);
    };

  /** Sends a button of a page of a user who has an app. */
  const withApp = (path: string) => async (): Promise<Act> => {
    const { browser } = await addApp(world, (await world.addUser()).id);
    return () => browser.submit(path);
  };

  const withPasskey =
    (end: string, fields: Record<string, string> = {}) =>
    async (): Promise<Act> => {
      const { browser } = await addPasskey(world, (await world.addUser()).id);
      const [, id] = /action="\/account\/factors\/passkeys\/(\d+)"/.exec(
        (await browser.open('/account/factors')).text,
      ) ?? [undefined, 'none'];
      return () => browser.submit(`/account/factors/passkeys/${id}${end}`, fields);
    };

  /** Enters the password of a user in another browser, which then asks for the second factor. */
  const afterPassword = async (id: number): Promise<KeepingBrowser> => {
    const browser = new KeepingBrowser(world);
    await browser.submit('/sign-in', { name: await nameOf(id), password: PASSWORD });
    return browser;
  };

  const CASES: Readonly<Record<string, PageCase>> = {
    '/account': {
      actions: ['user.update'],
      prepare: own('/account', { name: 'Renamed', mailAddress: 'renamed@example.com' }),
    },
    '/account/password': {
      actions: ['user.update', 'session.add'],
      prepare: own('/account/password', { password: PASSWORD, newPassword: NEW_PASSWORD }),
    },
    '/account/sessions/end-others': {
      actions: ['session.deleteAll'],
      prepare: async () => {
        const { id, browser } = await signedIn();
        await afterPassword(id);
        return () => browser.submit('/account/sessions/end-others');
      },
    },
    '/account/sessions/:sessionId/end': {
      actions: ['session.delete'],
      prepare: async () => {
        const { id, browser } = await signedIn();
        await afterPassword(id);
        const path = await actionOf(browser, '/account/sessions', '/end');
        return () => browser.submit(path);
      },
    },
    '/account/keys': { actions: ['apiKey.add'], prepare: own('/account/keys', { name: 'Script' }) },
    '/account/keys/:apiKeyId/revoke': {
      actions: ['apiKey.delete'],
      prepare: async () => {
        const { browser } = await signedIn();
        const path = await actionOf(browser, '/account/keys', '/revoke');
        return () => browser.submit(path);
      },
    },
    '/account/factors/passkeys': {
      actions: ['passkey.add'],
      prepare: async () => {
        const { browser } = await signedIn();
        const options = creationOptionsIn(await browser.open('/account/factors'));
        const fields = new TestAuthenticator().create(options);
        return () => browser.submit('/account/factors/passkeys', fields);
      },
    },
    '/account/factors/passkeys/:passkeyId': {
      actions: ['passkey.update'],
      prepare: withPasskey('', { name: 'Renamed' }),
    },
    '/account/factors/passkeys/:passkeyId/remove': {
      actions: ['passkey.delete'],
      prepare: withPasskey('/remove'),
    },
    '/account/factors/app': {
      actions: ['secondFactor.add'],
      prepare: async () => {
        const { id, browser } = await signedIn();
        await browser.submit('/account/factors/begin');
        const code = codeNow(await secretOf(world, id));
        return () => browser.submit('/account/factors/app', { code });
      },
    },
    '/account/factors/app/remove': {
      actions: ['secondFactor.delete'],
      prepare: withApp('/account/factors/app/remove'),
    },
    '/account/factors/recovery-codes': {
      actions: ['recoveryCodes.renew'],
      prepare: withApp('/account/factors/recovery-codes'),
    },
    '/account/factors/remove': {
      actions: ['secondFactor.delete'],
      prepare: withApp('/account/factors/remove'),
    },
    '/account/identities/:identityId/disconnect': {
      actions: ['identity.delete'],
      prepare: async () => {
        const key = await addProvider(world, provider, { linksByMail: true });
        const { id, browser } = await signedIn();
        const { mailAddress } = (await world.admin.api.get<{ mailAddress: string }>(`/users/${id}`)).body;
        await signInWith(provider, key, newPerson(world, { email: mailAddress }), new KeepingBrowser(world));
        // Joining by mail has ended the password and the session.
        await browser.submit(await passwordLink(world, id), { newPassword: PASSWORD });
        const path = await actionOf(browser, '/account/identities', '/disconnect');
        return () => browser.submit(path);
      },
    },
    [CALLBACK]: {
      actions: ['user.add', 'identity.add', 'session.add'],
      prepare: async () => {
        const key = await addProvider(world, provider);
        const browser = new KeepingBrowser(world);
        const address = provider.authorize(await leave(browser, `/sign-in/sso/${key}`), newPerson(world));
        return () => comeBack(browser, address);
      },
    },
    '/account/invitations': {
      actions: ['invitation.add'],
      prepare: own(
        '/account/invitations',
        { mailAddresses: 'robin@example.com', roleType: '2' },
        RoleType.Administrator,
      ),
    },
    '/account/invitations/:invitationId/revoke': {
      actions: ['invitation.delete'],
      prepare: async () => {
        const { id } = await invite(world);
        const { browser } = await signedIn(RoleType.Administrator);
        return () => browser.submit(`/account/invitations/${id}/revoke`);
      },
    },
    '/invitation/:token': {
      actions: ['user.add', 'invitation.accept', 'session.add'],
      prepare: async () => {
        const { path } = await invite(world);
        return () => new KeepingBrowser(world).submit(path, { ...ACCOUNT, userId: 'newcomer', csrf: '' });
      },
    },
    '/account/notifications/resume': {
      actions: ['mailPause.delete'],
      prepare: async () => {
        const { id, browser } = await signedIn();
        await pause(id);
        return () => browser.submit('/account/notifications/resume');
      },
    },
    '/account/mail/:userId/resume': {
      actions: ['mailPause.delete'],
      prepare: async () => {
        const { id } = await world.addUser();
        await pause(id);
        const { browser } = await signedIn(RoleType.Administrator);
        return () => browser.submit(`/account/mail/${id}/resume`);
      },
    },
    '/sign-in': {
      actions: ['session.add'],
      prepare: async () => {
        const { id } = await signedIn();
        const name = await nameOf(id);
        return () => new KeepingBrowser(world).submit('/sign-in', { name, password: PASSWORD });
      },
    },
    '/sign-in/new-password': {
      actions: ['user.update', 'session.add'],
      prepare: async () => {
        const { id } = await world.addUser();
        await world.admin.api.patch(`/users/${id}`, { password: COMMON_PASSWORD });
        const fields = { name: await nameOf(id), password: COMMON_PASSWORD, newPassword: NEW_PASSWORD };
        return () => new KeepingBrowser(world).submit('/sign-in/new-password', fields);
      },
    },
    '/sign-in/confirm': {
      actions: ['session.add'],
      prepare: own('/sign-in/confirm', { password: PASSWORD }),
    },
    '/sign-in/passkey': {
      actions: ['session.add'],
      prepare: async () => {
        const { authenticator } = await addPasskey(world, (await world.addUser()).id);
        const browser = new KeepingBrowser(world);
        const fields = authenticator.get(optionsIn(await browser.open('/sign-in')));
        return () => browser.submit('/sign-in/passkey', fields);
      },
    },
    '/sign-in/confirm/passkey': {
      actions: ['session.add'],
      prepare: async () => {
        const { browser, authenticator } = await addPasskey(world, (await world.addUser()).id);
        const fields = authenticator.get(optionsIn(await browser.open('/sign-in/confirm')));
        return () => browser.submit('/sign-in/confirm/passkey', fields);
      },
    },
    '/sign-in/second-factor': {
      actions: ['session.add'],
      prepare: async () => {
        const { id } = await world.addUser();
        const { secret } = await addApp(world, id);
        const browser = await afterPassword(id);
        return () => browser.submit('/sign-in/second-factor', { code: codeNow(secret) });
      },
    },
    '/sign-in/second-factor/passkey': {
      actions: ['session.add'],
      prepare: async () => {
        const { id } = await world.addUser();
        const { authenticator } = await addPasskey(world, id);
        const browser = await afterPassword(id);
        const fields = authenticator.get(optionsIn(await browser.open('/sign-in/second-factor')));
        return () => browser.submit('/sign-in/second-factor/passkey', fields);
      },
    },
    '/password/:token': {
      actions: ['user.update', 'session.add'],
      prepare: async () => {
        const path = await passwordLink(world, (await world.addUser()).id);
        return () => new KeepingBrowser(world).submit(path, { newPassword: PASSWORD });
      },
    },
    '/sign-out': { actions: ['session.delete'], prepare: own('/sign-out') },
  };

  it('is tested for every form', () => {
    const forms = routesOf(world).filter(({ method, path }) => isPage(path) && !/^(GET|HEAD)$/i.test(method));
    expect(forms.map(({ path }) => path).sort()).toEqual(
      [...Object.keys(CASES).filter((path) => path !== CALLBACK), ...Object.keys(NOT_AUDITED)].sort(),
    );
  });

  it.each(Object.keys(CASES))('has the entries of %s', async (path) => {
    const { actions, prepare } = CASES[path] as PageCase;
    const act = await prepare();
    const [last] = (await world.admin.api.get<{ id: number }[]>('/space/auditLog?count=1')).body;
    const answer = await act();
    expect([answer.status, answer.text]).toEqual([
      expect.toSatisfy((status) => status < 400),
      expect.anything(),
    ]);
    const { body } = await world.admin.api.get<{ action: string; address: string }[]>(
      `/space/auditLog?order=asc&minId=${(last?.id ?? 0) + 1}&count=100`,
    );
    expect(body.map(({ action }) => action).sort()).toEqual([...actions].sort());
    expect(new Set(body.map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
  });
});
