import { hash, timingSafeEqual } from 'node:crypto';
import { type Request } from 'express';
import { parseUrl } from '../../config/parse-url';

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

/** The cookie of a browser to which the sign-in page gave a challenge for passkeys. */
export const PASSKEY_COOKIE = '__Host-pms-passkey';

/** Returns a function that reads the token in a cookie; undefined without one. */
function tokenReader(cookie: string): (request: Request) => string | undefined {
  const pattern = new RegExp(`(?:^|; *)${cookie}=([A-Za-z0-9_-]{43})(?:;|$)`);
  return ({ headers }) => (headers.cookie === undefined ? undefined : pattern.exec(headers.cookie)?.[1]);
}

/** Returns the token of the session's cookie; undefined without one. */
export const sessionTokenOf = tokenReader(SESSION_COOKIE);

/** Returns the token of a sign-in that waits for a second factor; undefined without one. */
export const challengeTokenOf = tokenReader(CHALLENGE_COOKIE);

/** Returns the token of a browser to which the sign-in page gave a challenge for passkeys; undefined without one. */
export const passkeyTokenOf = tokenReader(PASSKEY_COOKIE);

/** Returns the token of a browser that has gone to an identity provider; undefined without one. */
export const ssoTokenOf = tokenReader(SSO_COOKIE);

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
  return origin !== undefined && host !== undefined && parseUrl(origin)?.host === host.toLowerCase();
}

/** Whether the user has entered the address themselves, or opened it from a bookmark. */
export const isOpenedByUser = ({ headers }: Request): boolean => headers['sec-fetch-site'] === 'none';
