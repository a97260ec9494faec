import { type Readable } from 'node:stream';
import { Browser, type PageAnswer, passwordLink, PASSWORD } from './sessions';
import { type World } from './world';

const CSRF = '__Host-pms-csrf';
/** The forms of users who have not signed in. */
const UNSIGNED = /^\/(?:password\/|sign-in(?!\/confirm))/;

/** A browser that keeps all cookies, also that of a sign-in that waits for a second factor. */
export class KeepingBrowser extends Browser {
  private readonly cookies = new Map<string, string>();

  constructor(private readonly ofWorld: World) {
    super(ofWorld);
  }

  /** The header with all cookies. */
  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  /** The token against forged requests of the session. */
  get csrf(): string {
    return this.cookies.get(CSRF) ?? '';
  }

  /** Whether a cookie is set. */
  has(name: string): boolean {
    return this.cookies.has(name);
  }

  /** Returns another browser with the same cookies. */
  copy(): KeepingBrowser {
    const copy = new KeepingBrowser(this.ofWorld);
    for (const [name, value] of this.cookies) copy.cookies.set(name, value);
    return copy;
  }

  /** Sends a form, with the token against forged requests where one is needed. */
  override submit(
    path: string,
    fields: Readonly<Record<string, string | readonly string[]>> = {},
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    return super.submit(path, { csrf: UNSIGNED.test(path) ? '' : this.csrf, ...fields }, headers);
  }

  override async send(
    method: string,
    path: string,
    body?: string | Readable,
    headers: Record<string, string> = {},
  ): Promise<PageAnswer> {
    const sent = this.cookies.size > 0 ? { Cookie: this.cookie, ...headers } : headers;
    const answer = await super.send(method, path, body, sent);
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }
}

/** Signs a user in, by a link with which they set the password, and returns their browser. */
export async function signInBrowser(world: World, userId: number): Promise<KeepingBrowser> {
  const browser = new KeepingBrowser(world);
  await browser.submit(await passwordLink(world, userId), { newPassword: PASSWORD });
  return browser;
}
