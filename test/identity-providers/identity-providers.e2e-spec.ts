import { TestProvider } from '../support/oidc-provider';
import { useWorld } from '../support/world';
import { addProvider, removeProviders, SETTINGS } from './provider';

interface Problems {
  errors: { message: string; code: number; moreInfo: string }[];
}

const BODY = {
  key: 'main',
  name: 'Main',
  issuer: 'https://login.example.com/realms/main',
  clientId: 'tracker',
  clientSecret: 'very secret',
};

describe('an identity provider', () => {
  const tested = useWorld(SETTINGS);
  const PATH = '/space/identityProviders';

  afterEach(() => removeProviders(tested.world));

  it('is added without ever showing its secret, which is stored encrypted', async () => {
    const { world } = tested;
    const { status, body, text } = await world.admin.api.post<object>(PATH, BODY);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      key: 'main',
      hasClientSecret: true,
      scopes: 'openid profile email',
      allowedDomains: [],
      createsUsers: false,
      linksByMail: false,
      defaultRoleType: 2,
      enabled: true,
    });
    const list = await world.admin.api.get(PATH);
    const log = await world.admin.api.get('/space/auditLog');
    const [row] = await world.dataSource.query<[{ secret: string }]>(
      'SELECT client_secret AS secret FROM identity_provider',
    );
    for (const shown of [text, list.text, log.text, row.secret]) expect(shown).not.toContain('very secret');
    expect(row.secret).toMatch(/^[0-9a-f]{8}\.[\w-]+$/);
    const changed = await world.admin.api.patch(`${PATH}/main`, { clientSecret: 'another secret' });
    expect(changed.text).not.toContain('another secret');
    const [entry] = (await world.admin.api.get<{ action: string; changes: object[] }[]>('/space/auditLog'))
      .body;
    expect(entry).toMatchObject({
      action: 'identityProvider.update',
      changes: [{ field: 'clientSecret', from: null, to: null }],
    });
  });

  it.each<[string, object, string]>([
    ['a key with capitals', { key: 'Main' }, 'key'],
    ['a key with a slash', { key: 'a/b' }, 'key'],
    ['an empty name', { name: ' ' }, 'name'],
    ['no address', { issuer: 'login' }, 'issuer'],
    ['scopes without openid', { scopes: 'profile' }, 'scopes'],
    ['scopes with a line break', { scopes: 'openid\nprofile' }, 'scopes'],
    ['a domain with an at sign', { allowedDomains: ['@example.com'] }, 'allowedDomains'],
    [
      '51 domains',
      { allowedDomains: Array.from({ length: 51 }, (_, at) => `d${at}.example.com`) },
      'allowedDomains',
    ],
    ['a group without a role', { groupRoles: ['admins'] }, 'groupRoles'],
    ['a role that does not exist', { groupRoles: ['7:admins'] }, 'groupRoles'],
    ['new users of all domains unsaid', { createsUsers: true }, 'allowedDomains'],
    ['a secret of 256 characters', { clientSecret: 'x'.repeat(256) }, 'clientSecret'],
    ['a secret of 255 letters that need more bytes', { clientSecret: 'é'.repeat(255) }, 'clientSecret'],
    ['a secret with a line break', { clientSecret: 'one\ntwo' }, 'clientSecret'],
    ['a role of new users that does not exist', { defaultRoleType: 7 }, 'defaultRoleType'],
  ])('is not stored with %s', async (_what, fields, field) => {
    const { world } = tested;
    const { status, body } = await world.admin.api.post<Problems>(PATH, { ...BODY, ...fields });
    expect([status, body.errors[0]!.code]).toEqual([400, 7]);
    expect(body.errors[0]!.moreInfo).toContain(field);
    expect((await world.admin.api.get(PATH)).body).toEqual([]);
  });

  it('keeps its key and issuer, and no other has its key', async () => {
    const { world } = tested;
    await world.admin.api.post(PATH, BODY);
    const again = await world.admin.api.post(PATH, BODY);
    expect(again.status).toBe(409);
    await world.admin.api.patch(`${PATH}/main`, { name: 'Other' });
    const { body } = await world.admin.api.get(`${PATH}/main`);
    expect(body).toMatchObject({ key: 'main', issuer: BODY.issuer, name: 'Other' });
    const refused = await world.admin.api.patch<Problems>(`${PATH}/main`, { linksByMail: true });
    expect([refused.status, refused.body.errors[0]!.moreInfo]).toEqual([400, 'allowedDomains']);
  });

  it('is one of at most 20', async () => {
    const { world } = tested;
    const answers = await Promise.all(
      Array.from({ length: 25 }, (_, at) => world.admin.api.post<Problems>(PATH, { ...BODY, key: `p${at}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    const [refused] = answers.filter(({ status }) => status !== 201);
    expect(refused).toMatchObject({
      status: 409,
      body: { errors: [{ code: 9, message: 'A space can have at most 20 identity providers.' }] },
    });
  });

  it('has a button on the page to sign in, with its name as text', async () => {
    const { world } = tested;
    const provider = await TestProvider.start();
    try {
      const key = await addProvider(world, provider, { name: '<b>Login</b>' });
      const response = await fetch(new URL('/sign-in?to=/account/keys', world.server.baseUrl));
      const text = await response.text();
      expect(text).toContain(`href="/sign-in/sso/${key}?to=%2Faccount%2Fkeys"`);
      expect(text).toContain('Sign in with &lt;b&gt;Login&lt;/b&gt;');
    } finally {
      await provider.stop();
    }
  });
});
