import { RefusedAddressError } from '../../outgoing/address-guard';
import { innermost } from '../../outgoing/innermost';
import { SsoFailure } from '../sso-failure';
import { InsecureAddressError, TooLargeResponseError } from './provider-fetch';

const MAX_DETAIL = 300;

/** What the errors of openid-client and of the connection say about themselves. */
interface CodedError {
  code?: unknown;
  error?: unknown;
  error_description?: unknown;
  status?: unknown;
  message: string;
  cause?: unknown;
}

/** Returns why a request to a provider, or the check of its response, has failed. */
export function explainFailure(error: unknown): SsoFailure {
  if (error instanceof SsoFailure) return error;
  const { code, error: named, error_description: description, message, cause } = error as CodedError;
  const refusal = [named, description].filter((text) => typeof text === 'string').join(': ');
  switch (code) {
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
      return failure('denied', named === 'access_denied' ? 'access_denied' : 'provider_refused', refusal);
    case 'OAUTH_RESPONSE_BODY_ERROR':
      if (named === 'invalid_grant') return failure('invalid', 'code_refused', refusal);
      return failure(
        'unavailable',
        named === 'invalid_client' ? 'client_refused' : 'request_refused',
        refusal,
      );
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return failure('unavailable', 'client_refused', 'The provider does not accept the client secret.');
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return failure('unavailable', 'unexpected_status', statusOf(error) ?? message);
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED': {
      const issuer = namedIssuerOf(cause);
      if (issuer !== undefined) {
        return failure('unavailable', 'other_issuer', `The provider calls itself ${issuer}.`);
      }
      break;
    }
    case 'OAUTH_TIMEOUT':
      return tooLate();
    default:
  }
  const origin = innermost(error);
  if (origin instanceof RefusedAddressError) return failure('unavailable', 'refused_address', origin.message);
  if (origin instanceof InsecureAddressError) return failure('unavailable', 'not_encrypted', origin.message);
  if (origin instanceof TooLargeResponseError) return failure('unavailable', 'too_large', origin.message);
  if (origin.name === 'TimeoutError' || origin.name === 'AbortError') return tooLate();
  if (typeof code === 'string' && code.startsWith('OAUTH_')) {
    return failure('invalid', codeOf(code), reasonOf(error));
  }
  const { code: systemCode } = origin as NodeJS.ErrnoException;
  if (systemCode === undefined) return failure('invalid', 'unexpected', `${message}: ${reasonOf(cause)}`);
  const isTls = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(systemCode);
  return failure('unavailable', isTls ? 'tls' : 'unreachable', `${systemCode}: ${origin.message}`);
}

const tooLate = (): SsoFailure =>
  failure('unavailable', 'timeout', 'The provider has not answered within 5 seconds.');

/** Returns what a provider calls itself, if that is not the issuer. */
function namedIssuerOf(cause: unknown): string | undefined {
  const { attribute, body } = (cause ?? {}) as { attribute?: unknown; body?: { issuer?: unknown } };
  return attribute === 'issuer' && typeof body?.issuer === 'string' ? body.issuer : undefined;
}

/** A short code in place of that of openid-client. */
const codeOf = (code: string): string =>
  code
    .slice('OAUTH_'.length)
    .toLowerCase()
    .replace(/_failed$/, '');

/** Returns the most precise message, with the claim or the parameter that it is about. */
function reasonOf(error: unknown): string {
  let message = '';
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    message = at.message;
  }
  return message;
}

function statusOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; depth < 10 && at !== undefined && at !== null; depth++) {
    const { status, cause } = at as { status?: unknown; cause?: unknown };
    if (typeof status === 'number') return `The provider has answered ${status}.`;
    at = cause;
  }
  return undefined;
}

const failure = (reason: SsoFailure['reason'], code: string, detail: string): SsoFailure =>
  new SsoFailure(reason, code, printable(detail).slice(0, MAX_DETAIL));

/** What a provider says must not control the terminal of whoever reads the log. */
const printable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
