import {
  AuthenticationError,
  ConflictError,
  DomainError,
  ErrorCode,
  InsufficientScopeError,
  InternalError,
  LengthRequiredError,
  MethodNotAllowedError,
  ServiceUnavailableError,
  TooManyRequestsError,
} from './domain-errors';

/** Body of every error response (`docs/protocol.md#error`). */
export interface ErrorBody {
  errors: { message: string; code: ErrorCode; moreInfo: string }[];
}

/** The response to an error. */
export interface ErrorResponse {
  status: number;
  headers: Record<string, string>;
  body: ErrorBody;
}

/** The only place that maps an error code to its HTTP status (`docs/decisions/0001-wire-protocol.md#errors`). */
export const STATUS_BY_CODE: Readonly<Record<ErrorCode, number>> = {
  [ErrorCode.InternalError]: 500,
  [ErrorCode.LicenceError]: 403,
  [ErrorCode.LicenceExpiredError]: 403,
  [ErrorCode.AccessDeniedError]: 403,
  [ErrorCode.UnauthorizedOperationError]: 403,
  [ErrorCode.NoResourceError]: 404,
  [ErrorCode.InvalidRequestError]: 400,
  [ErrorCode.SpaceOverCapacityError]: 413,
  [ErrorCode.ResourceOverflowError]: 409,
  [ErrorCode.TooLargeFileError]: 413,
  [ErrorCode.AuthenticationError]: 401,
  [ErrorCode.RequiredMFAError]: 403,
  [ErrorCode.TooManyRequestsError]: 429,
};

/** Converts any error to a response that discloses nothing internal: any other than a domain error becomes a 500. */
export function toErrorResponse(error: unknown): ErrorResponse {
  const known = error instanceof DomainError ? error : new InternalError();
  return {
    status: statusOf(known),
    headers: headersOf(known),
    body: {
      errors: known.problems.map(({ message, moreInfo }) => ({ message, code: known.code, moreInfo })),
    },
  };
}

function statusOf(error: DomainError): number {
  if (error instanceof ServiceUnavailableError) return 503;
  if (error instanceof MethodNotAllowedError) return 405;
  if (error instanceof ConflictError) return 409;
  if (error instanceof LengthRequiredError) return 411;
  return STATUS_BY_CODE[error.code];
}

function headersOf(error: DomainError): Record<string, string> {
  if (error.code === ErrorCode.AuthenticationError) {
    if (error instanceof AuthenticationError && error.realm !== undefined)
      return { 'WWW-Authenticate': `Basic realm="${error.realm}", charset="UTF-8"` };
    return { 'WWW-Authenticate': 'Bearer error="invalid_token", error_description="The API key is invalid"' };
  }
  if (error instanceof InsufficientScopeError) {
    const scopes = error.scopes.join(' ');
    return { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scopes}"` };
  }
  if (error instanceof ServiceUnavailableError) return { 'Retry-After': String(error.retryAfter) };
  if (error instanceof MethodNotAllowedError) return { Allow: error.allowed.join(', ') };
  if (error instanceof TooManyRequestsError) {
    return {
      'Retry-After': String(error.retryAfter),
      'X-RateLimit-Limit': String(error.limit),
      'X-RateLimit-Remaining': String(error.remaining),
      'X-RateLimit-Reset': String(error.reset),
    };
  }
  return {};
}
