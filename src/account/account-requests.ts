import { type Request, type Response } from 'express';
import { type AuthorizedRequest } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { clientAddress } from '../http/request/client-address';
import { isLoopback } from '../http/request/loopback';
import { queryOf } from '../http/request/query';
import { sessionTokenOf } from '../http/request/session-cookie';
import { setChallengeCookie, setSessionCookies } from '../http/response/session-cookies';
import { goTo } from '../pages/redirect';
import { type Browser, SESSION_TOTAL_MS } from '../sessions/sessions.service';
import { CHALLENGE_MS, type SignInProgress } from '../sign-in/second-step.service';
import { errorTextOf } from './error-texts';

/** Returns the browser that sent a request, as its session shows it. */
export const browserOf = (request: Request): Browser => ({
  address: clientAddress(request),
  userAgent: request.get('User-Agent') ?? '',
  formerToken: sessionTokenOf(request),
});

/** Returns the user of a page's request, whose changes the audit log records. */
export const callerOf = (request: AuthorizedRequest): AuditedCaller => ({
  ...request.caller,
  address: clientAddress(request),
});

/** Returns the message of an error of a form, if there is one. */
export function errorOf(request: Request, error: unknown): string | undefined {
  if (error === undefined) return undefined;
  return errorTextOf(error, request);
}

/** The first page after the sign-in. */
export const HOME = '/account';
/** The page that asks for a second factor. */
export const SECOND_FACTOR_PATH = '/sign-in/second-factor';

/** Gives the browser a session, and leads it to a page. */
export function giveSession(response: Response, token: string, to: string): void {
  setSessionCookies(response, token, SESSION_TOTAL_MS);
  goTo(response, to);
}

/** After a password or a link: gives the browser a session, or leads it to the page that asks for the second factor. */
export function goOn(response: Response, progress: SignInProgress, to: string): void {
  if ('session' in progress) {
    giveSession(response, progress.session, to);
    return;
  }
  setChallengeCookie(response, progress.challenge, CHALLENGE_MS);
  goTo(response, `${SECOND_FACTOR_PATH}?to=${encodeURIComponent(to)}`);
}

/** Returns the path of the page to go to after the form. */
export const targetOf = (request: Request): string | undefined => queryOf(request).entries.get('to')?.[0];

/** Whether browsers accept the cookie of a session from this address. */
export const keepsSessions = (request: Request): boolean =>
  request.secure || isLoopback(request.headers.host ?? '');
