import { type CookieOptions, type Response } from 'express';
import { CSRF_COOKIE, csrfTokenOf, SESSION_COOKIE } from '../request/session-cookie';

const OPTIONS: CookieOptions = { secure: true, sameSite: 'lax', path: '/' };

/**
 * Gives a session's cookies to the browser: the session's own, which no script can read, and the token against forged requests.
 * @param maxAge milliseconds
 */
export function setSessionCookies(response: Response, token: string, maxAge: number): void {
  response.cookie(SESSION_COOKIE, token, { ...OPTIONS, httpOnly: true, maxAge });
  response.cookie(CSRF_COOKIE, csrfTokenOf(token), { ...OPTIONS, maxAge });
}

/** Removes them. */
export function clearSessionCookies(response: Response): void {
  response.clearCookie(SESSION_COOKIE, { ...OPTIONS, httpOnly: true });
  response.clearCookie(CSRF_COOKIE, OPTIONS);
}
