import { HttpStatus } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type AuthorizedRequest } from '../access/access';
import { type Environment } from '../config/environment';
import { ForgedRequestError } from '../errors/domain-errors';
import { setSsoCookie } from '../http/response/session-cookies';
import { clientAddress } from '../http/request/client-address';
import { type AttemptPurpose } from '../identity-providers/sign-in/attempt-purpose';
import { ATTEMPT_MS, type SingleSignOnService } from '../identity-providers/sign-in/single-sign-on.service';
import { type FailureReason, SsoFailure } from '../identity-providers/sso-failure';
import { callbackPath } from '../identity-providers/sso-paths';
import { languageOf } from '../pages/language';
import { sendPage } from '../pages/page';
import { SsoFailurePage } from './sso-pages';

const STATUS: Readonly<Record<FailureReason, HttpStatus>> = {
  unavailable: HttpStatus.BAD_GATEWAY,
  denied: HttpStatus.FORBIDDEN,
  invalid: HttpStatus.BAD_REQUEST,
  expired: HttpStatus.BAD_REQUEST,
  noAccount: HttpStatus.FORBIDDEN,
  taken: HttpStatus.CONFLICT,
  otherPerson: HttpStatus.FORBIDDEN,
  notAgain: HttpStatus.FORBIDDEN,
};

/**
 * Returns the redirect URI of a provider: at `PUBLIC_URL`, or at the address that the browser uses. The provider accepts only the one that is
 * registered there.
 */
export const redirectUriOf = (request: Request, environment: Environment, key: string): string =>
  environment.PUBLIC_URL === undefined
    ? `${request.protocol}://${request.headers.host ?? ''}${callbackPath(key)}`
    : environment.webUrl(callbackPath(key));

/** Where a browser goes, and why. */
interface Leaving {
  key: string;
  purpose: AttemptPurpose;
  target: string;
  /** The token of the invitation that the person accepts. */
  invitation?: string;
}

/** Binds the browser to its departure, and returns the address at the provider. @throws SsoFailure, TooManyRequestsError */
export async function depart(
  signOn: SingleSignOnService,
  environment: Environment,
  request: Request | AuthorizedRequest,
  response: Response,
  leaving: Leaving,
): Promise<string> {
  requireNavigation(request);
  const redirectUri = redirectUriOf(request, environment, leaving.key);
  const user = sessionOf(request);
  const { url, token } = await signOn.depart({ ...leaving, redirectUri, user }, clientAddress(request));
  setSsoCookie(response, token, ATTEMPT_MS);
  return url;
}

/** Returns the user of a request and their session, if they have signed in. */
export function sessionOf(
  request: Request | AuthorizedRequest,
): { id: number; sessionId: number } | undefined {
  const { id, session } = ('caller' in request ? request.caller : undefined) ?? {};
  return id !== undefined && session ? { id, sessionId: session.id } : undefined;
}

/** Shows the page of a failed sign-in, instead of that of other errors. */
export async function showingFailures(
  request: Request,
  response: Response,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof SsoFailure)) throw error;
    const page = <SsoFailurePage language={languageOf(request)} failure={error} />;
    sendPage(response, page, STATUS[error.reason]);
  }
}

/** Pictures and frames of other sites must not begin a sign-in in place of another. @throws ForgedRequestError */
function requireNavigation({ headers }: Request): void {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination } = headers;
  if ((mode ?? 'navigate') !== 'navigate' || (destination ?? 'document') !== 'document') {
    throw new ForgedRequestError('Open this page by a link.');
  }
}
