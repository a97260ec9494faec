import {
  createHash,
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const CLIENT_ID = 'tracker';
export const CLIENT_SECRET = 'a secret that only both know';

type Claims = Record<string, unknown>;

/** What the provider says about the next person who signs in there. */
export interface TestPerson extends Claims {
  sub: string;
  email?: string;
  email_verified?: boolean | string;
}

interface Grant {
  person: TestPerson;
  query: URLSearchParams;
  isUsed: boolean;
}

/** What a hostile provider does instead of the right thing. */
export interface Tampering {
  claims?: (claims: Claims) => Claims;
  header?: (header: Claims) => Claims;
  /** Signs in place of the provider's key. */
  sign?: (input: string, provider: TestProvider) => string;
  metadata?: (metadata: Claims) => Claims;
  /** Responds to a path in place of the provider; returns false to leave it to it. */
  respond?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Ignores the PKCE verifier, and that a code has been used. */
  acceptsAnything?: boolean;
}

const base64url = (value: string | Buffer): string => Buffer.from(value).toString('base64url');
const seconds = (): number => Math.floor(Date.now() / 1000);

/** Keys take long to generate. */
const KEYS = generateKeyPairSync('rsa', { modulusLength: 2048 });

/** A provider of OpenID Connect on this machine, which does what the protocol says unless it is told otherwise. */
export class TestProvider {
  tampering: Tampering = {};
  /** Paths that have been requested. */
  readonly requests: string[] = [];
  readonly key: KeyObject = KEYS.privateKey;
  private readonly grants = new Map<string, Grant>();
  private counter = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestProvider> {
    const server = createServer();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const provider = new TestProvider(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void provider.respond(request, response);
    });
    return provider;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => {
      this.server.close(resolve);
    });
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The key with which ID tokens are checked, as text. */
  get publicKey(): string {
    return createPublicKey(this.key).export({ type: 'spki', format: 'pem' }).toString();
  }

  /** Lets a person sign in at the address to which the browser was sent, and returns the address to which it is sent back. */
  authorize(address: string, person: TestPerson): string {
    const { searchParams: query } = new URL(address);
    const code = `code-${++this.counter}`;
    this.grants.set(code, { person, query, isUsed: false });
    const back = new URL(query.get('redirect_uri') ?? '');
    back.search = new URLSearchParams({
      code,
      state: query.get('state') ?? '',
      iss: this.issuer,
    }).toString();
    return back.href;
  }

  /** Signs a token with the provider's key. */
  token(claims: Claims, { header, sign: signOtherwise }: Tampering = this.tampering): string {
    const usual = { alg: 'RS256', kid: 'key', typ: 'JWT' };
    const input = [header?.(usual) ?? usual, claims].map((part) => base64url(JSON.stringify(part))).join('.');
    const signature = signOtherwise?.(input, this) ?? base64url(sign('sha256', Buffer.from(input), this.key));
    return `${input}.${signature}`;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.issuer);
    this.requests.push(pathname);
    if (this.tampering.respond?.(request, response)) return;
    if (pathname === '/.well-known/openid-configuration') json(response, this.metadata());
    else if (pathname === '/jwks') {
      const jwk = createPublicKey(this.key).export({ format: 'jwk' });
      json(response, { keys: [{ ...jwk, kid: 'key', use: 'sig', alg: 'RS256' }] });
    } else if (pathname === '/token') this.exchange(await text(request), response);
    else if (pathname === '/userinfo') {
      const code = request.headers.authorization?.slice('Bearer '.length) ?? '';
      json(response, this.grants.get(code)?.person ?? {});
    } else json(response, { error: 'not_found' }, 404);
  }

  private metadata(): Claims {
    const usual = {
      issuer: this.issuer,
      authorization_endpoint: `${this.issuer}/authorize`,
      token_endpoint: `${this.issuer}/token`,
      userinfo_endpoint: `${this.issuer}/userinfo`,
      jwks_uri: `${this.issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      token_endpoint_auth_methods_supported: ['client_secret_post'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: ['openid', 'profile', 'email'],
    };
    return this.tampering.metadata?.(usual) ?? usual;
  }

  private exchange(body: string, response: ServerResponse): void {
    const form = new URLSearchParams(body);
    if (form.get('client_id') !== CLIENT_ID || form.get('client_secret') !== CLIENT_SECRET) {
      json(response, { error: 'invalid_client' }, 401);
      return;
    }
    const code = form.get('code') ?? '';
    const grant = this.grants.get(code);
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isRight =
      grant &&
      (this.tampering.acceptsAnything === true ||
        (!grant.isUsed &&
          grant.query.get('code_challenge') === challenge &&
          grant.query.get('code_challenge_method') === 'S256' &&
          grant.query.get('redirect_uri') === form.get('redirect_uri')));
    if (!isRight) {
      json(response, { error: 'invalid_grant', error_description: 'The code is not valid.' }, 400);
      return;
    }
    grant.isUsed = true;
    const { person, query } = grant;
    const usual = {
      iss: this.issuer,
      aud: CLIENT_ID,
      iat: seconds(),
      exp: seconds() + 300,
      auth_time: seconds(),
      nonce: query.get('nonce'),
      ...person,
    };
    json(response, {
      access_token: code,
      token_type: 'Bearer',
      expires_in: 300,
      id_token: this.token(this.tampering.claims?.(usual) ?? usual),
    });
  }
}

/** Signs with a text as the key, as HS256 does. */
export const hmac = (key: string, input: string): string =>
  createHmac('sha256', key).update(input).digest('base64url');

function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
}
