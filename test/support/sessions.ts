import { request } from 'undici';
import { COMMAND_LINE } from '../../src/audit-log/actor';
import { SESSION_COOKIE } from '../../src/http/request/session-cookie';
import { PasswordLinksService } from '../../src/sign-in/password-links.service';
import { type World } from './world';

/** What a browser receives. */
export interface BrowserResponse {
  status: number;
  headers: Headers;
  text: string;
}

const PASSWORD = 'seven quiet herons';

/** A browser, with the session of a user who has signed in. */
export class Browser {
  /** @param cookie of the session; absent before the sign-in */
  constructor(
    private readonly origin: string,
    readonly cookie?: string,
  ) {}

  /** Opens an address as if the user had entered it. Follows no redirects. */
  open(path: string, headers: Record<string, string> = {}): Promise<BrowserResponse> {
    return this.send('GET', path, undefined, { 'Sec-Fetch-Site': 'none', ...headers });
  }

  /** Sends a form of one of the service's pages. */
  sendForm(path: string, fields: Record<string, string>): Promise<BrowserResponse> {
    const headers = {
      'Sec-Fetch-Site': 'same-origin',
      'Content-Type': 'application/x-www-form-urlencoded',
    };
    return this.send('POST', path, new URLSearchParams(fields).toString(), headers);
  }

  private async send(
    method: 'GET' | 'POST',
    path: string,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<BrowserResponse> {
    const cookie = this.cookie === undefined ? {} : { Cookie: this.cookie };
    const response = await request(this.origin + path, { method, body, headers: { ...headers, ...cookie } });
    return {
      status: response.statusCode,
      headers: new Headers(Object.entries(response.headers).flatMap(pairsOf)),
      text: await response.body.text(),
    };
  }
}

/** Returns a browser without a session. */
export const strangersBrowser = (world: World): Browser => new Browser(new URL(world.server.baseUrl).origin);

/** Signs a user in with a link that sets a password, and returns their browser. */
export async function signIn(world: World, user: { id: number }): Promise<Browser> {
  const { url } = await world.service(PasswordLinksService).add(COMMAND_LINE, user.id);
  const stranger = strangersBrowser(world);
  const response = await stranger.sendForm(new URL(url).pathname, { newPassword: PASSWORD });
  const [cookie] = response.headers
    .getSetCookie()
    .flatMap((value) => value.split(';', 1))
    .filter((value) => value.startsWith(`${SESSION_COOKIE}=`));
  if (cookie === undefined) throw new Error(`The sign-in failed with ${response.status}: ${response.text}`);
  return new Browser(new URL(world.server.baseUrl).origin, cookie);
}

const pairsOf = ([name, values]: [string, string | string[] | undefined]): [string, string][] =>
  [values ?? []].flat().map((value) => [name, value]);
