import { type Request } from 'express';
import { ForgedRequestError } from '../errors/domain-errors';
import {
  CSRF_COOKIE,
  CSRF_HEADER,
  isCsrfToken,
  isFromOwnPage,
  isOpenedByUser,
} from '../http/request/session-cookie';

const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD';

/**
 * Requires that a page of the service has made a request to the API. Browsers add cookies also to requests that pages of others make.
 * @param token of the session
 * @throws ForgedRequestError
 */
export function requireOwnScript(request: Request, token: string): void {
  if (isRead(request) && isOpenedByUser(request)) return;
  if (!isFromOwnPage(request)) throw ofOtherSite();
  if (!isRead(request) && !isCsrfToken(request.get(CSRF_HEADER), token)) {
    throw new ForgedRequestError(
      `A change with the cookie of a session needs the value of the cookie ${CSRF_COOKIE} in the header ${CSRF_HEADER}.`,
    );
  }
}

/**
 * Requires that a form that is sent to a page comes from a page of the service. Pages of others may link to a page.
 * @throws ForgedRequestError
 */
export function requireOwnForm(request: Request): void {
  if (!isRead(request) && !isFromOwnPage(request)) throw ofOtherSite();
}

const ofOtherSite = (): ForgedRequestError =>
  new ForgedRequestError(
    'The request comes from another site, or from a program: these need an API key instead of the cookie of a session.',
  );
