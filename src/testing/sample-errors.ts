import { type Environment } from '../config/environment';
import {
  AccessDeniedError,
  AuthenticationError,
  type DomainError,
  ErrorCode,
  InternalError,
  InvalidRequestError,
  LicenceError,
  LicenceExpiredError,
  NoResourceError,
  RequiredMFAError,
  ResourceOverflowError,
  SpaceOverCapacityError,
  TooManyRequestsError,
  UnauthorizedOperationError,
} from '../errors/domain-errors';
import { fileTooLargeError } from '../http/request/multipart';
import { unknownName } from '../http/request/unknown-names';
import { countLimitMessage } from '../limits/count-limits';
import { countedAs } from '../limits/rate-class';

/** The request context on which an error may depend. */
interface ErrorContext {
  method: string;
  environment: Environment;
}

/** The length of a window of the rate limits. */
const WINDOW_MS = 60_000;

/** Creates an error of the service for each code. */
const ERRORS: Readonly<Record<ErrorCode, (context: ErrorContext) => DomainError>> = {
  [ErrorCode.InternalError]: () => new InternalError(),
  [ErrorCode.LicenceError]: () => new LicenceError(),
  [ErrorCode.LicenceExpiredError]: () => new LicenceExpiredError(),
  [ErrorCode.AccessDeniedError]: () => new AccessDeniedError(),
  [ErrorCode.UnauthorizedOperationError]: () => new UnauthorizedOperationError(),
  [ErrorCode.NoResourceError]: () => new NoResourceError('issue'),
  [ErrorCode.InvalidRequestError]: () => new InvalidRequestError([unknownName('colour')]),
  [ErrorCode.SpaceOverCapacityError]: () => new SpaceOverCapacityError(),
  [ErrorCode.ResourceOverflowError]: ({ environment }) =>
    new ResourceOverflowError(countLimitMessage('project', environment)),
  [ErrorCode.TooLargeFileError]: fileTooLargeError,
  [ErrorCode.AuthenticationError]: () => new AuthenticationError(),
  [ErrorCode.RequiredMFAError]: () => new RequiredMFAError(),
  [ErrorCode.TooManyRequestsError]: ({ method, environment }) =>
    countedAs(method, undefined) === 'read'
      ? TooManyRequestsError.after('read_rate', environment.RATE_LIMIT_READ, WINDOW_MS)
      : TooManyRequestsError.after('update_rate', environment.RATE_LIMIT_UPDATE, WINDOW_MS),
};

/** Whether a number is one of the 13 codes. */
export const isErrorCode = (code: number): code is ErrorCode => Object.hasOwn(ERRORS, code);

/** Returns the error that the service would throw for a code. @throws RangeError for an invalid code */
export function sampleError(code: number, context: ErrorContext): DomainError {
  if (!isErrorCode(code)) throw new RangeError(`${code} is no error code.`);
  return ERRORS[code](context);
}
