import { type Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { PasswordLinksService } from '../../src/sign-in/password-links.service';
import { KnownCallersService } from '../../src/users/known-callers.service';
import { UsageService } from '../../src/users/usage.service';
import { type World } from './world';

/** A password that nobody tries first. */
export const PASSWORD = 'correct horse battery staple';

/** A session of a user, as a browser has it. */
export interface TestSession {
  token: string;
  /** The value of the `Cookie` header. */
  cookie: string;
  /** The token against forged requests. */
  csrf: string;
}

/** What a page answers to a browser. */
export interface PageAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The path that a redirect leads to. */
  location: string | undefined;
  /** The session that the answer starts; undefined if it starts none. */
  session: TestSession | undefined;
}

const dispatcher = new Agent({ keepAliveTimeout: 1000 });

/** Requests pages as a browser does, which sends `Sec-Fetch-Site`. Keeps the first session that it gets, and replaces it only in `signIn`. */
export class Browser {
  private readonly origin: string;

  /**
   * @param service or its origin
   * @param headers of every request
   */
  constructor(
    service: World | string,
    public session?: TestSession,
    private readonly headers: Readonly<Record<string, string>> = {},
  ) {
    this.origin = typeof service === 'string' ? service : service.server.baseUrl;
  }

  /** Opens a page, as from a link of another page of the service. */
  open(path: string, headers: Record<string, string> = {}): Promise<PageAnswer> {
    return this.send('GET', path, undefined, headers);
  }

  /** Sends a form of a page. */
  submit(
    path: string,
    fields: Readonly<Record<string, string | readonly string[]>>,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    const form = new URLSearchParams();
    for (const [name, values] of Object.entries(fields)) {
      for (const value of [values].flat()) form.append(name, value);
    }
    if (this.session && !('csrf' in fields)) form.set('csrf', this.session.csrf);
    return this.send('POST', path, form.toString(), {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...headers,
    });
  }

  /** Signs in, and keeps the session if that succeeds. */
  async signIn(name: string, password: string): Promise<PageAnswer> {
    // The form of a user who has not signed in has no token.
    const answer = await this.submit('/sign-in', { name, password, csrf: '' });
    if (answer.session) this.session = answer.session;
    return answer;
  }

  /** Sends any request to a page. */
  async send(
    method: string,
    path: string,
    body?: string | Readable,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    const response = await request(new URL(path, this.origin), {
      dispatcher,
      method: method as 'GET' | 'HEAD' | 'POST',
      body,
      headers: {
        'Sec-Fetch-Site': 'same-origin',
        ...(this.session && { Cookie: this.session.cookie }),
        ...this.headers,
        ...headers,
      },
    });
    const received = new Headers();
    for (const [name, values] of Object.entries(response.headers)) {
      for (const value of [values ?? []].flat()) received.append(name, value);
    }
    const session = sessionIn(received);
    this.session ??= session;
    return {
      status: response.statusCode,
      headers: received,
      text: await response.body.text(),
      location: received.get('location') ?? undefined,
      session,
    };
  }
}

function sessionIn(headers: Headers): TestSession | undefined {
  const cookies = new Map(
    headers.getSetCookie().map((line) => {
      const [pair = ''] = line.split(';');
      return [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)] as const;
    }),
  );
  const token = cookies.get('__Host-pms');
  const csrf = cookies.get('__Host-pms-csrf');
  return token && csrf ? { token, csrf, cookie: `__Host-pms=${token}` } : undefined;
}

/** Makes a link to set a password for a user, and returns its path. */
export async function passwordLink(
  world: World,
  userId: number,
  options?: { withoutSecondFactor: true },
): Promise<string> {
  const { url } = await world.service(PasswordLinksService).add(COMMAND_LINE, userId, options);
  return new URL(url).pathname;
}

/** Sets the password of a user by a link, and returns the browser in which they are then signed in. */
export async function signedIn(world: World, userId: number, password = PASSWORD): Promise<Browser> {
  const browser = new Browser(world);
  await browser.submit(await passwordLink(world, userId), { newPassword: password });
  if (!browser.session) throw new Error('The link started no session.');
  return browser;
}

/** Moves the times of all sessions of a user back, as if they had started earlier. */
export async function ageSessions(world: World, userId: number, milliseconds: number): Promise<void> {
  await world.dataSource.query(
    'UPDATE `session` SET created = created - ?, last_seen = last_seen - ?, expires = expires - ?, authenticated = authenticated - ? WHERE user_id = ?',
    [milliseconds, milliseconds, milliseconds, milliseconds, userId],
  );
  forgetSessions(world, userId);
}

/** Makes the next request read the session of a user from the database, and record its use. */
function forgetSessions(world: World, userId: number): void {
  world.service(KnownCallersService).forget(userId);
  const usage = world.service(UsageService) as unknown as { recentlyNoted: { clear(): void } };
  usage.recentlyNoted.clear();
}
