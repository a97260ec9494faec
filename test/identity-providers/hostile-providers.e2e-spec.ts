import { generateKeyPairSync, sign } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import { SingleSignOnService } from '../../src/identity-providers/sign-in/single-sign-on.service';
import { KeepingBrowser, signInBrowser } from '../support/browser';
import { CLIENT_ID, hmac, type Tampering, type TestPerson, TestProvider } from '../support/oidc-provider';
import { type PageAnswer } from '../support/sessions';
import { useWorld } from '../support/world';
import { addProvider, comeBack, leave, newPerson, removeProviders, SETTINGS, signInWith } from './provider';

interface LogEntry {
  provider: string;
  code: string;
  detail: string;
}

/** An attack on signing in: what differs from the right way, and the code and a part of the line in the log. */
type Attack = [
  name: string,
  code: string,
  detail: string | RegExp,
  tampering: Tampering,
  person?: Record<string, unknown>,
  fields?: object,
];

const now = (): number => Math.floor(Date.now() / 1000);
const OTHER_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

const claims = (changes: Record<string, unknown>): Tampering => ({
  claims: (all) => ({ ...all, ...changes }),
});
const metadata = (changes: Record<string, unknown>): Tampering => ({
  metadata: (all) => ({ ...all, ...changes }),
});
const answering = (
  path: string,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): Tampering => ({
  respond: ({ url }, response) => {
    if (!url?.startsWith(path)) return false;
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(body);
    return true;
  },
});

const DISCOVERY = '/.well-known/openid-configuration';
const LARGE = JSON.stringify({ keys: [], padding: 'x'.repeat(300_000) });

const ATTACKS: Attack[] = [
  // What the token says.
  ['another nonce', 'jwt_claim_comparison', /"nonce"/, claims({ nonce: 'other' })],
  ['no nonce', 'invalid_response', /"nonce".*missing/, claims({ nonce: undefined })],
  ['another issuer', 'jwt_claim_comparison', /"iss"/, claims({ iss: 'https://evil.test' })],
  ['another audience', 'jwt_claim_comparison', /"aud"/, claims({ aud: 'other' })],
  ['another authorized party', 'jwt_claim_comparison', /"azp"/, claims({ aud: [CLIENT_ID, 'x'], azp: 'x' })],
  [
    'several audiences without a party',
    'jwt_claim_comparison',
    /untrusted audiences/,
    claims({ aud: [CLIENT_ID, 'x'] }),
  ],
  ['a token that has expired', 'jwt_timestamp_check', /"exp"/, claims({ exp: now() - 3600 })],
  ['a token of the future', 'jwt_timestamp_check', /"nbf"/, claims({ nbf: now() + 3600 })],
  ['no subject', 'invalid_response', /"sub"/, claims({ sub: undefined })],
  ['a subject that is no text', 'invalid_response', /"sub"/, claims({ sub: 1 })],
  ['a subject of 10,000 characters', 'long_subject', 'too long', claims({ sub: 'x'.repeat(10_000) })],
  // How it is signed.
  [
    'no signature',
    'invalid_response',
    /"alg"/,
    { header: (all) => ({ ...all, alg: 'none' }), sign: () => '' },
  ],
  [
    'the public key as a secret',
    'invalid_response',
    /"alg"/,
    { header: () => ({ alg: 'HS256' }), sign: (input, { publicKey }) => hmac(publicKey, input) },
  ],
  [
    'the public key as a secret, which the metadata allow',
    'unsupported_operation',
    /algorithm/,
    {
      header: () => ({ alg: 'HS256' }),
      sign: (input, { publicKey }) => hmac(publicKey, input),
      ...metadata({ id_token_signing_alg_values_supported: ['RS256', 'HS256'] }),
    },
  ],
  [
    'the signature of another key',
    'invalid_response',
    /signature/,
    { sign: (input) => sign('sha256', Buffer.from(input), OTHER_KEY).toString('base64url') },
  ],
  [
    'a key that nobody knows',
    'key_selection',
    /no applicable keys/,
    { header: (all) => ({ ...all, kid: 'x' }) },
  ],
  ['keys that are larger than 256 KiB', 'too_large', '256 KiB', answering('/jwks', 200, LARGE)],
  ['keys that are no keys', 'invalid_response', /"keys"/, answering('/jwks', 200, '{"keys":1}')],
  // What comes in place of the token.
  [
    'no token',
    'invalid_response',
    /"id_token"/,
    answering('/token', 200, '{"access_token":"x","token_type":"Bearer"}'),
  ],
  [
    'a page in place of the token',
    'response_is_not_json',
    /content-type/,
    answering('/token', 200, '<p>', { 'Content-Type': 'text/html' }),
  ],
  ['no JSON in place of the token', 'parse_error', '', answering('/token', 200, '{')],
  ['a response that is larger than 256 KiB', 'too_large', '256 KiB', answering('/token', 200, LARGE)],
  [
    'a redirect of the code',
    'unexpected_status',
    '302',
    answering('/token', 302, '', { Location: '/token' }),
  ],
  ['an error of the server', 'unexpected_status', '503', answering('/token', 503, '')],
  // Whom it lets in.
  ['an address that is not verified', 'mail_not_verified', '', {}, { email_verified: false }],
  ['an address that says nothing', 'mail_not_verified', '', {}, { email_verified: undefined }],
  [
    'a wrong word for verified',
    'mail_not_verified',
    '',
    {},
    { email_verified: 'false' },
    { trustsMail: true },
  ],
  ['no address', 'no_mail', '', {}, { email: undefined }],
  ['an address of another domain', 'other_domain', '', {}, { email: 'robin@evil.test' }],
  ['an address of a longer domain', 'other_domain', '', {}, { email: 'robin@example.com.evil.test' }],
  ['an address with two domains', 'no_mail', '', {}, { email: 'robin@evil.test@example.com' }],
  ['an address with a line break', 'no_mail', '', {}, { email: 'robin@example.com\r\nx@evil.test' }],
  ['a person whom nobody has connected', 'not_connected', '', {}, {}, { createsUsers: false }],
];

/** What a provider says about itself before anybody is sent there. */
const LIES: Attack[] = [
  ['calls itself otherwise', 'other_issuer', 'https://evil.test', metadata({ issuer: 'https://evil.test' })],
  [
    'leads to another address',
    'unexpected_status',
    '302',
    answering(DISCOVERY, 302, '', { Location: DISCOVERY }),
  ],
  ['is larger than 256 KiB', 'too_large', '256 KiB', answering(DISCOVERY, 200, LARGE)],
  ['is no JSON', 'parse_error', '', answering(DISCOVERY, 200, '[')],
  [
    'names a script as its page',
    'request_protocol_forbidden',
    '',
    metadata({ authorization_endpoint: 'javascript:alert(1)//' }),
  ],
  [
    'names a page without encryption',
    'not_encrypted',
    '',
    metadata({ authorization_endpoint: 'http://evil.test/' }),
  ],
];

describe('a hostile identity provider', () => {
  const tested = useWorld(SETTINGS);
  let provider: TestProvider;
  let browser: KeepingBrowser;
  let log: LogEntry[];

  beforeAll(async () => {
    provider = await TestProvider.start();
  });
  afterAll(() => provider.stop());
  beforeEach(() => {
    provider.tampering = {};
    browser = new KeepingBrowser(tested.world);
    log = [];
    const { logger } = tested.world.service(SingleSignOnService) as unknown as {
      logger: { warn(entry: LogEntry): void };
    };
    vi.spyOn(logger, 'warn').mockImplementation((entry) => void log.push(entry));
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await removeProviders(tested.world);
  });

  const counts = (): Promise<unknown> =>
    tested.world.dataSource.query(
      'SELECT (SELECT COUNT(*) FROM user) AS users, (SELECT COUNT(*) FROM identity) AS identities, (SELECT COUNT(*) FROM `session`) AS sessions',
    );

  /** Expects that an attack has let nobody in, and that the log says why. */
  function expectRefusal(answer: PageAnswer, code: string, detail: string | RegExp): void {
    expect(answer.session).toBeUndefined();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).not.toBe(500);
    expect(answer.text).toContain(`<code>${code}</code>`);
    expect(log).toMatchObject([{ code }]);
    expect(log[0]!.detail).toMatch(detail);
  }

  it.each(ATTACKS)('lets nobody in with %s', async (_name, code, detail, tampering, changes, fields) => {
    const { world } = tested;
    provider.tampering = tampering;
    const key = await addProvider(world, provider, fields);
    const before = await counts();
    const answer = await signInWith(provider, key, newPerson(world, changes), browser);
    expectRefusal(answer, code, detail);
    expect(await counts()).toEqual(before);
  });

  it.each(LIES)('is not visited if it %s', async (_name, code, detail, tampering) => {
    provider.tampering = tampering;
    const key = await addProvider(tested.world, provider);
    const answer = await browser.open(`/sign-in/sso/${key}`);
    expect(answer.location).toBeUndefined();
    expect(browser.has('__Host-pms-sso')).toBe(false);
    expectRefusal(answer, code, detail);
  });

  it.each([
    ['token_endpoint', 'http://10.0.0.1/token', 'not_encrypted'],
    ['token_endpoint', 'https://10.0.0.1/token', 'refused_address'],
    ['token_endpoint', 'https://[::1]/token', 'refused_address'],
    ['token_endpoint', 'file:///etc/passwd', 'request_protocol_forbidden'],
    ['jwks_uri', 'https://169.254.169.254/latest', 'refused_address'],
    ['jwks_uri', 'https://[::ffff:10.0.0.1]/keys', 'refused_address'],
  ])('does not lead requests of the service for its %s to %s', async (field, address, code) => {
    const { world } = tested;
    provider.tampering = metadata({ [field]: address });
    const key = await addProvider(world, provider);
    const answer = await signInWith(provider, key, newPerson(world), browser);
    expect(log).toMatchObject([{ code }]);
    expect(answer.session).toBeUndefined();
  });

  it('is not added at a private address, or without encryption', async () => {
    const { world } = tested;
    for (const issuer of [
      'https://10.0.0.1',
      'https://169.254.169.254/latest',
      'https://[fd00::1]',
      'http://login.example.com',
      'https://robin:secret@login.example.com',
      'https://login.example.com/?x=1',
      'https://login.example.com/#x',
    ]) {
      const { status, body } = await world.admin.api.post<{ errors: { moreInfo: string }[] }>(
        '/space/identityProviders',
        { key: 'private', name: 'Private', issuer, clientId: 'x', clientSecret: 'x' },
      );
      expect([issuer, status, body.errors[0]!.moreInfo]).toEqual([issuer, 400, 'issuer']);
    }
  });

  describe('and its return', () => {
    let key: string;
    let person: TestPerson;

    beforeEach(async () => {
      key = await addProvider(tested.world, provider);
      person = newPerson(tested.world);
    });

    const begin = async (one = browser): Promise<string> =>
      provider.authorize(await leave(one, `/sign-in/sso/${key}`), person);

    const changed = (address: string, changes: Record<string, string | undefined>): string => {
      const url = new URL(address);
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) url.searchParams.delete(name);
        else url.searchParams.set(name, value);
      }
      return url.href;
    };

    it('works once', async () => {
      const address = await begin();
      const cookie = browser.cookie;
      expect((await comeBack(browser, address)).session).toBeDefined();
      const { pathname, search } = new URL(address);
      const again = await new KeepingBrowser(tested.world).open(pathname + search, { Cookie: cookie });
      expectRefusal(again, 'no_attempt', 'come back before');
    });

    it('works once if it comes twenty times at once', async () => {
      const address = await begin();
      provider.requests.length = 0;
      const copies = Array.from({ length: 20 }, () => browser.copy());
      const answers = await Promise.all(copies.map((copy) => comeBack(copy, address)));
      expect(answers.filter(({ session }) => session !== undefined)).toHaveLength(1);
      expect(provider.requests.filter((path) => path === '/token')).toHaveLength(1);
    });

    it('does not work in another browser', async () => {
      const address = await begin();
      expectRefusal(await comeBack(new KeepingBrowser(tested.world), address), 'no_attempt', '');
    });

    it('does not work in another browser that has gone to the provider, too, and does not end its sign-in', async () => {
      const victim = new KeepingBrowser(tested.world);
      const own = await begin(victim);
      const address = await begin();
      expectRefusal(await comeBack(victim, address), 'other_state', '');
      expect((await comeBack(victim, own)).session).toBeDefined();
    });

    it('does not work with the code of another sign-in, even at a provider that accepts it', async () => {
      const attacker = new KeepingBrowser(tested.world);
      const stolen = new URL(await begin(attacker)).searchParams.get('code') ?? '';
      const address = changed(await begin(), { code: stolen });
      expectRefusal(await comeBack(browser, address), 'code_refused', 'invalid_grant');
      log.length = 0;
      provider.tampering = { acceptsAnything: true };
      const again = changed(await begin(), { code: stolen });
      expectRefusal(await comeBack(browser, again), 'jwt_claim_comparison', /"nonce"/);
    });

    it.each<[string, Record<string, string | undefined>, string]>([
      ['no state', { state: undefined }, 'other_state'],
      ['another state', { state: 'x' }, 'other_state'],
      ['another issuer', { iss: 'https://evil.test' }, 'invalid_response'],
      ['no issuer, although the provider says that it names one', { iss: undefined }, 'invalid_response'],
      ['no code', { code: undefined }, 'invalid_response'],
      ['an unknown code', { code: 'x' }, 'code_refused'],
      ['a refusal', { code: undefined, error: 'access_denied' }, 'access_denied'],
      ['an error that contains HTML', { code: undefined, error: '<script>' }, 'provider_refused'],
      ['a token in place of a code', { id_token: 'x' }, 'unsupported_operation'],
    ])('does not work with %s', async (_name, changes, code) => {
      const answer = await comeBack(browser, changed(await begin(), changes));
      expectRefusal(answer, code, '');
      expect(answer.text).not.toContain('<script>');
    });

    it('does not work with the state twice', async () => {
      const address = await begin();
      expectRefusal(await comeBack(browser, `${address}&state=x`), 'other_state', '');
    });

    it('does not work at the address of another provider', async () => {
      const { world } = tested;
      const evil = await TestProvider.start();
      try {
        const other = await addProvider(world, evil);
        const address = (await begin()).replace(`/sso/${key}/`, `/sso/${other}/`);
        expectRefusal(await comeBack(browser, address), 'other_provider', 'another provider');
        expect(evil.requests).toEqual([]);
      } finally {
        await evil.stop();
      }
    });

    it('does not work once the provider is disabled, or another has its key', async () => {
      const { world } = tested;
      const first = await begin();
      await world.admin.api.patch(`/space/identityProviders/${key}`, { enabled: false });
      expectRefusal(await comeBack(browser, first), 'no_provider', '');
      await world.admin.api.patch(`/space/identityProviders/${key}`, { enabled: true });
      log.length = 0;
      const second = await begin();
      await world.admin.api.delete(`/space/identityProviders/${key}`);
      await world.admin.api.post('/space/identityProviders', {
        ...{ key, name: 'Other', issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: 'x' },
      });
      expectRefusal(await comeBack(browser, second), 'no_attempt', '');
    });

    it('does not begin in a picture or a frame of another site', async () => {
      for (const headers of [
        { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
        { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
      ]) {
        const answer = await browser.open(`/sign-in/sso/${key}`, {
          'Sec-Fetch-Site': 'cross-site',
          ...headers,
        });
        expect([answer.status, browser.has('__Host-pms-sso')]).toEqual([403, false]);
      }
    });
  });

  it('costs only the one who waits for it their time', async () => {
    const { world } = tested;
    const slow = await TestProvider.start();
    // Sends its response byte by byte, forever.
    const timers = new Set<NodeJS.Timeout>();
    slow.tampering = {
      respond: (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        timers.add(setInterval(() => response.write(' '), 100));
        return true;
      },
    };
    try {
      const hanging = await addProvider(world, slow);
      const working = await addProvider(world, provider);
      const begun = performance.now();
      const waiting = new KeepingBrowser(world).open(`/sign-in/sso/${hanging}`);
      const answer = await signInWith(provider, working, newPerson(world), browser);
      expect(answer.session).toBeDefined();
      expect((await world.admin.api.get('/users/myself')).status).toBe(200);
      expect(performance.now() - begun).toBeLessThan(4000);
      const late = await waiting;
      expectRefusal(late, 'timeout', '5 seconds');
      expect(performance.now() - begun).toBeLessThan(9000);
    } finally {
      for (const timer of timers) clearInterval(timer);
      await slow.stop();
    }
  });

  it('leaves a user alone who has signed in', async () => {
    const { world } = tested;
    const kim = await world.addUser();
    const old = await signInBrowser(world, kim.id);
    provider.tampering = claims({ nonce: 'other' });
    const key = await addProvider(world, provider);
    const answer = await signInWith(provider, key, newPerson(world), old);
    expect(answer.status).toBe(400);
    expect((await old.open('/account')).status).toBe(200);
  });
});

describe('an address that begins many sign-ins', () => {
  const tested = useWorld({ ...SETTINGS, TRUST_PROXY: '1' });

  it('is refused after 300 in a minute, alone', async () => {
    const { world } = tested;
    const provider = await TestProvider.start();
    try {
      const key = await addProvider(world, provider);
      const open = async (address: string): Promise<number> =>
        (await new KeepingBrowser(world).open(`/sign-in/sso/${key}`, { 'X-Forwarded-For': address })).status;
      const statuses = [];
      for (let count = 0; count < 32; count++) {
        statuses.push(...(await Promise.all(Array.from({ length: 10 }, () => open('192.0.2.1')))));
      }
      expect(statuses.filter((status) => status === 303)).toHaveLength(300);
      expect(statuses.filter((status) => status === 429)).toHaveLength(20);
      expect(await open('192.0.2.2')).toBe(303);
      const [row] = await world.dataSource.query<[{ count: number | string }]>(
        'SELECT COUNT(*) AS count FROM sso_attempt',
      );
      expect(Number(row.count)).toBe(301);
    } finally {
      await provider.stop();
    }
  });
});
