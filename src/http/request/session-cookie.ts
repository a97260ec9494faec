import { hash, timingSafeEqual } from 'node:crypto';
import { type Request } from 'express';

/** The cookie of a session. Browsers accept the prefix only from this host, over TLS or from localhost, and for all paths. */
export const SESSION_COOKIE = '__Host-pms';
/** The cookie with the token against forged requests, which scripts of the service's own pages read. */
export const CSRF_COOKIE = '__Host-pms-csrf';
/** The request header that repeats it. */
export const CSRF_HEADER = 'X-CSRF-Token';

/** The cookie of a sign-in that waits for a second factor. */
export const CHALLENGE_COOKIE = '__Host-pms-challenge';

/** The cookie of a browser that has gone to an identity provider. */
export const SSO_COOKIE = '__Host-pms-sso';

const SESSION = new RegExp(`(?:^|; *)${SESSION_COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`);

/** Returns the token of the session's cookie; undefined without one. */
export const sessionTokenOf = ({ headers }: Request): string | undefined =>
  headers.cookie === undefined ? undefined : SESSION.exec(headers.cookie)?.[1];

const CHALLENGE = new RegExp(`(?:^|; *)${CHALLENGE_COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`);

/** Returns the token of a sign-in that waits for a second factor; undefined without one. */
export const challengeTokenOf = ({ headers }: Request): string | undefined =>
  headers.cookie === undefined ? undefined : CHALLENGE.exec(headers.cookie)?.[1];

/** The cookie of a browser to which the sign-in page gave a challenge for passkeys. */
export const PASSKEY_COOKIE = '__Host-pms-passkey';

const PASSKEY = new RegExp(`(?:^|; *)${PASSKEY_COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`);

/** Returns the token of a browser to which the sign-in page gave a challenge for passkeys; undefined without one. */
export const passkeyTokenOf = ({ headers }: Request): string | undefined =>
  headers.cookie === undefined ? undefined : PASSKEY.exec(headers.cookie)?.[1];
const SSO = new RegExp(`(?:^|; *)${SSO_COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`);

/** Returns the token of a browser that has gone to an identity provider; undefined without one. */
export const ssoTokenOf = ({ headers }: Request): string | undefined =>
  headers.cookie === undefined ? undefined : SSO.exec(headers.cookie)?.[1];

/** Returns the token against forged requests of a session. */
export const csrfTokenOf = (sessionToken: string): string =>
  hash('sha256', `csrf ${sessionToken}`, 'base64url');

/** Whether a token against forged requests is that of the session. */
export function isCsrfToken(given: string | undefined, sessionToken: string): boolean {
  const expected = Buffer.from(csrfTokenOf(sessionToken));
  const actual = Buffer.from(given ?? '');
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Whether the browser sent the request from a page of the service itself, according to the headers that pages cannot set. */
export function isFromOwnPage(request: Request): boolean {
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin, host } = request.headers;
  return origin !== undefined && host !== undefined && hostOf(origin) === host.toLowerCase();
}

/** Whether the user has entered the address themselves, or opened it from a bookmark. */
export const isOpenedByUser = ({ headers }: Request): boolean => headers['sec-fetch-site'] === 'none';

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
