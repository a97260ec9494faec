import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type IdentityProviderDto } from '../../src/identity-providers/dto/identity-provider.dto';
import { Child } from '../support/child';
import { CLIENT_ID, CLIENT_SECRET, TestProvider } from '../support/oidc-provider';
import { type CommandResult, Commands } from '../support/pms';
import { Browser } from '../support/sessions';
import { type Environment } from '../support/world';

const ADMIN_KEY = 'key-of-the-administrator-0123456789';
const PUBLIC_URL = 'https://tracker.example.com';
const REDIRECT_URI = `${PUBLIC_URL}/sign-in/sso/main/callback`;

/** Returns a port that is free now: `PUBLIC_URL` hides that of the service. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

describe('pms sso', () => {
  const commands = new Commands();
  let folder: string;
  let settings: Environment;
  let service: Child | undefined;
  let origin: string;
  let provider: TestProvider;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pms-sso-'));
    provider = await TestProvider.start();
    const port = await freePort();
    origin = `http://127.0.0.1:${port}`;
    settings = {
      PORT: String(port),
      PASSWORD_SIGN_IN: 'on',
      DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
      STORAGE_URL: `file:${folder}/files`,
      GIT_PATH: '/nonexistent/git',
      GIT_ROOT: `${folder}/git`,
      ADMIN_API_KEY: ADMIN_KEY,
      IDENTITY_PROVIDER_ALLOW: '127.0.0.1',
      PUBLIC_URL,
    };
    await writeFile(join(folder, 'secret'), `${CLIENT_SECRET}\n`);
    await start();
  });
  afterAll(async () => {
    await service?.kill();
    await commands.stop();
    await provider.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    service = new Child('run-service', JSON.stringify(settings));
    for (;;) {
      const line = await service.nextLine();
      if (line === undefined) throw new Error('The service did not start.');
      if (/^ *Service /.test(line)) return;
    }
  }

  const pms = (words: string, others: Environment = {}): Promise<CommandResult> =>
    commands.run(words.split(' '), { ...settings, ...others });
  const add = (key: string, options = ''): Promise<CommandResult> =>
    pms(
      `sso add ${key} --issuer ${provider.issuer} --client-id ${CLIENT_ID} --client-secret-file ${folder}/secret${options}`,
    );

  it('adds a provider in the running service, and prints the redirect URI alone', async () => {
    const { exitCode, stdout, stderr } = await add('main', ' --domains example.com --create-users');
    expect([exitCode, stdout]).toEqual([0, `${REDIRECT_URI}\n`]);
    expect(stderr).toContain('pms sso test main');
    const browser = new Browser(origin);
    const { status, location } = await browser.open('/sign-in/sso/main');
    expect([status, new URL(location ?? '').searchParams.get('redirect_uri')]).toEqual([303, REDIRECT_URI]);
    expect((await add('main')).stderr).toContain('already exists');
  });

  it('lists providers without their secrets', async () => {
    const { stdout } = await pms('sso list --json');
    const [listed] = JSON.parse(stdout) as [IdentityProviderDto];
    expect(listed).toMatchObject({ key: 'main', createsUsers: true, hasClientSecret: true });
    expect(stdout).not.toContain(CLIENT_SECRET);
    expect((await pms('sso list')).stdout).toMatch(/main +main +http:\S+ +tracker +enabled/);
  });

  it('finds nothing wrong with a provider that works for the running service', async () => {
    provider.tampering = {};
    // What the command itself may reach does not matter.
    const { exitCode, stdout, stderr } = await pms('sso test main', { IDENTITY_PROVIDER_ALLOW: '' });
    expect([exitCode, stdout]).toEqual([
      0,
      `ok       The provider answers, and calls itself ${provider.issuer}.\nok       The provider accepts the client secret.\n`,
    ]);
    expect(stderr).toContain(REDIRECT_URI);
  });

  it.each<[string, TestProvider['tampering'] | undefined, string, string]>([
    ['a refused secret', undefined, 'main', 'refuses the client id or the client secret'],
    [
      'another issuer',
      { metadata: (all) => ({ ...all, issuer: 'https://other.test' }) },
      'main',
      'calls itself https://other.test. Enter exactly that',
    ],
    [
      'a page that is no discovery document',
      {
        respond: (_request, response) => {
          response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>');
          return true;
        },
      },
      'main',
      'no OpenID Connect provider at this address',
    ],
    [
      'a provider without PKCE',
      { metadata: (all) => ({ ...all, code_challenge_methods_supported: undefined }) },
      'main',
      'PKCE with S256',
    ],
    [
      'a provider that signs with a shared secret',
      { metadata: (all) => ({ ...all, id_token_signing_alg_values_supported: ['HS256'] }) },
      'main',
      'but with HS256',
    ],
    ['an address where nobody answers', {}, 'http://127.0.0.1:9', 'whether this machine reaches it'],
    ['a private address', {}, 'https://10.1.2.3', 'IDENTITY_PROVIDER_ALLOW'],
  ])('names %s', async (_what, tampering, target, message) => {
    provider.tampering = tampering ?? {
      respond: ({ url }, response) => {
        if (url !== '/token') return false;
        response.writeHead(401, { 'Content-Type': 'application/json' }).end('{"error":"invalid_client"}');
        return true;
      },
    };
    const { exitCode, stdout } = await pms(`sso test ${target}`);
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(new RegExp(`^problem .*${message}`, 'm'))]);
    expect(stdout).not.toContain(CLIENT_SECRET);
  });

  it('is needed before passwords can be switched off, of which pms doctor warns', async () => {
    provider.tampering = {};
    const off = { PASSWORD_SIGN_IN: 'off' };
    const good = await pms('doctor', off);
    expect(good.stdout).toContain('1 identity provider can be used');
    const refused = await pms('sso remove main', off);
    // The running service executes it, whose passwords are on.
    expect([refused.exitCode, refused.stdout]).toEqual([0, 'Removed main.\n']);
    expect((await pms('doctor', off)).stdout).toContain('Nobody can sign in');
    await service?.kill();
    service = undefined;
    // Without a service, the command uses the database itself.
    expect((await add('main')).exitCode).toBe(0);
    const kept = await pms('sso remove main', off);
    expect([kept.exitCode, kept.stderr]).toEqual([1, expect.stringContaining('PASSWORD_SIGN_IN is off')]);
  });
});
