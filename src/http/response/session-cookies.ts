import { type CookieOptions, type Response } from 'express';
import {
  CHALLENGE_COOKIE,
  CSRF_COOKIE,
  csrfTokenOf,
  PASSKEY_COOKIE,
  SESSION_COOKIE,
  SSO_COOKIE,
} from '../request/session-cookie';

const OPTIONS: CookieOptions = { secure: true, sameSite: 'lax', path: '/' };

/**
 * Gives a session's cookies to the browser: the session's own, which no script can read, and the token against forged requests.
 * @param maxAge milliseconds
 */
export function setSessionCookies(response: Response, token: string, maxAge: number): void {
  response.cookie(SESSION_COOKIE, token, { ...OPTIONS, httpOnly: true, maxAge });
  response.cookie(CSRF_COOKIE, csrfTokenOf(token), { ...OPTIONS, maxAge });
}

/** Gives the cookie of a sign-in that waits for a second factor to the browser. @param maxAge milliseconds */
export function setChallengeCookie(response: Response, token: string, maxAge: number): void {
  response.cookie(CHALLENGE_COOKIE, token, { ...OPTIONS, httpOnly: true, maxAge });
}

/** Removes it. */
export function clearChallengeCookie(response: Response): void {
  response.clearCookie(CHALLENGE_COOKIE, { ...OPTIONS, httpOnly: true });
}

/** Gives the cookie of a challenge for passkeys to the browser. @param maxAge milliseconds */
export function setPasskeyCookie(response: Response, token: string, maxAge: number): void {
  response.cookie(PASSKEY_COOKIE, token, { ...OPTIONS, httpOnly: true, maxAge });
}

/** Removes it. */
export function clearPasskeyCookie(response: Response): void {
  response.clearCookie(PASSKEY_COOKIE, { ...OPTIONS, httpOnly: true });
}

/** Gives the cookie that binds the return from an identity provider to a browser. @param maxAge milliseconds */
export function setSsoCookie(response: Response, token: string, maxAge: number): void {
  response.cookie(SSO_COOKIE, token, { ...OPTIONS, httpOnly: true, maxAge });
}

/** Removes it. */
export function clearSsoCookie(response: Response): void {
  response.clearCookie(SSO_COOKIE, { ...OPTIONS, httpOnly: true });
}

/** Removes the cookies of a session. */
export function clearSessionCookies(response: Response): void {
  response.clearCookie(SESSION_COOKIE, { ...OPTIONS, httpOnly: true });
  response.clearCookie(CSRF_COOKIE, OPTIONS);
}
