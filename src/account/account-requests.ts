import { type Request, type Response } from 'express';
import { type AuthorizedRequest } from '../access/access';
import { type AuditedCaller } from '../access/caller';
import { RoleType } from '../access/role-type';
import { clientAddress } from '../http/request/client-address';
import { csrfTokenOf, sessionTokenOf } from '../http/request/session-cookie';
import { setSessionCookies } from '../http/response/session-cookies';
import { languageOf } from '../pages/language';
import { messageOf } from '../pages/page-errors.filter';
import { type Browser, SESSION_TOTAL_MS } from '../sessions/sessions.service';
import { CommonPasswordError, NewPasswordNeededError, WrongPasswordError } from '../sign-in/sign-in-errors';
import { type AccountPage } from './account-pages';
import { TEXTS } from './texts';

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

/** Returns what every page of a user who has signed in needs. */
export const accountPageOf = (request: AuthorizedRequest, error?: unknown): AccountPage => ({
  language: languageOf(request),
  csrf: csrfTokenOf(sessionTokenOf(request) ?? ''),
  isAdministrator: request.caller.roleType === RoleType.Administrator,
  error: errorOf(request, error),
});

/** Returns the message of an error of a form, if there is one. */
export function errorOf(request: Request, error: unknown): string | undefined {
  if (error === undefined) return undefined;
  const texts = TEXTS[languageOf(request)];
  if (error instanceof WrongPasswordError) {
    return request.path === '/sign-in' ? texts.wrongPassword : texts.wrongCurrentPassword;
  }
  if (error instanceof CommonPasswordError) return texts.commonPassword;
  if (error instanceof NewPasswordNeededError) return texts.newNeeded;
  return messageOf(error, request);
}

/** Gives the browser a session. */
export const giveSession = (response: Response, token: string): void =>
  setSessionCookies(response, token, SESSION_TOTAL_MS);

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

/** Whether browsers accept the cookie of a session from this address. */
export const keepsSessions = (request: Request): boolean =>
  request.secure || LOOPBACK.test(request.headers.host ?? '');
