/** Error codes of the wire contract (`docs/decisions/0001-wire-protocol.md#errors`). */
export enum ErrorCode {
  InternalError = 1,
  LicenceError = 2,
  LicenceExpiredError = 3,
  AccessDeniedError = 4,
  UnauthorizedOperationError = 5,
  NoResourceError = 6,
  InvalidRequestError = 7,
  SpaceOverCapacityError = 8,
  ResourceOverflowError = 9,
  TooLargeFileError = 10,
  AuthenticationError = 11,
  RequiredMFAError = 12,
  TooManyRequestsError = 13,
}

/** Returns up to `limit` ids that a request could have named; only those that the caller may see. */
export type ReadValidIds = (limit: number) => Promise<readonly number[]>;

/** One problem: a sentence for the user, and the field concerned or a hint (`''` for neither). The sentence of an error names it too. */
export interface Problem {
  message: string;
  moreInfo: string;
  /** Called when the transaction that refuses has ended, so that the refusal holds no lock longer (`appendValidIds`). */
  readValidIds?: ReadValidIds;
}

/** Adds the field to a message that does not name it, because many clients show only the message. */
function withNamedField(problem: Problem): Problem {
  const { message, moreInfo } = problem;
  const isNamed = moreInfo.split(', ').every((field) => hasWord(message, field));
  return { ...problem, message: isNamed ? message : `${moreInfo}: ${message}` };
}

/** Whether a text contains a word that is not part of another. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const isPart = /\w/.test(text.charAt(at - 1)) || /\w/.test(text.charAt(at + word.length));
    if (!isPart || word === '') return true;
  }
  return false;
}

/** Base class of every error that is reported to the caller. Independent of HTTP; `error-response.ts` maps its code to a status. */
export abstract class DomainError extends Error {
  abstract readonly code: ErrorCode;
  readonly problems: Problem[];

  constructor(problems: string | Problem[]) {
    const list =
      typeof problems === 'string' ? [{ message: problems, moreInfo: '' }] : problems.map(withNamedField);
    super(list.map((problem) => problem.message).join(' '));
    this.name = new.target.name;
    this.problems = list;
  }
}

/** A bug. */
export class InternalError extends DomainError {
  readonly code = ErrorCode.InternalError;

  constructor() {
    super('Internal error.');
  }
}

/** The database, or another dependency of the service, is temporarily unavailable. */
export class ServiceUnavailableError extends DomainError {
  readonly code = ErrorCode.InternalError;
  /** Seconds after which the client may retry. */
  readonly retryAfter = 5;

  /** @param cause only for the log */
  constructor(cause?: unknown, message = 'The service is temporarily unavailable.') {
    super(message);
    if (cause !== undefined) this.cause = cause;
  }
}

/** The space's licence does not include the feature. */
export class LicenceError extends DomainError {
  readonly code = ErrorCode.LicenceError;

  constructor(message = 'The licence of the space does not include this.') {
    super(message);
  }
}

/** The space's licence has expired. */
export class LicenceExpiredError extends DomainError {
  readonly code = ErrorCode.LicenceExpiredError;

  constructor(message = 'The licence of the space has expired.') {
    super(message);
  }
}

/** The caller's address is not on the space's allow list. */
export class AccessDeniedError extends DomainError {
  readonly code = ErrorCode.AccessDeniedError;

  constructor(message = 'Your IP address is not allowed.') {
    super(message);
  }
}

/** The caller lacks the right. */
export class UnauthorizedOperationError extends DomainError {
  readonly code = ErrorCode.UnauthorizedOperationError;

  constructor(message = 'You are not allowed to do this.') {
    super(message);
  }
}

/** A page in a browser may not use the address. */
export class InvalidOriginError extends DomainError {
  readonly code = ErrorCode.UnauthorizedOperationError;

  constructor(origin: string) {
    super(`Pages of ${origin} may not use this address: CORS_ORIGINS does not name their origin.`);
  }
}

/** A session's cookie came with a request that no page of the service has made, or without the token against forged requests. */
export class ForgedRequestError extends DomainError {
  readonly code = ErrorCode.UnauthorizedOperationError;
}

/** The user of a session has to prove again who they are. */
export class OldSignInError extends DomainError {
  readonly code = ErrorCode.UnauthorizedOperationError;

  constructor() {
    super('You signed in too long ago to do this: enter your password again at /sign-in/confirm.');
  }
}

/** The API key lacks scopes that the operation needs; the caller may have the right with another key. */
export class InsufficientScopeError extends DomainError {
  readonly code = ErrorCode.UnauthorizedOperationError;

  constructor(readonly scopes: readonly string[]) {
    const names = scopes.join(', ');
    super([
      { message: `The API key lacks the scope${scopes.length > 1 ? 's' : ''} ${names}.`, moreInfo: names },
    ]);
  }
}

/** The path refers to nothing that the caller may see. */
export class NoResourceError extends DomainError {
  readonly code = ErrorCode.NoResourceError;

  /** @param what the resource's name in the sentence, such as `issue` */
  constructor(what: string) {
    super(`No such ${what}.`);
  }
}

/** The request is malformed or not valid. */
export class InvalidRequestError extends DomainError {
  readonly code = ErrorCode.InvalidRequestError;

  /** Creates the error for one problem with one field. */
  static of(field: string, message: string, readValidIds?: ReadValidIds): InvalidRequestError {
    return new InvalidRequestError([{ message, moreInfo: field, readValidIds }]);
  }
}

/** A valid request conflicts with the current state. */
export class ConflictError extends DomainError {
  readonly code = ErrorCode.InvalidRequestError;

  /** Creates the error for one problem with one field. */
  static of(field: string, message: string): ConflictError {
    return new ConflictError([{ message, moreInfo: field }]);
  }
}

/** The path is known, but has no operation for the method. */
export class MethodNotAllowedError extends DomainError {
  readonly code = ErrorCode.InvalidRequestError;

  /** @param allowed the methods of the path */
  constructor(readonly allowed: string[]) {
    const moreInfo = `Allowed: ${allowed.join(', ')}`;
    super([{ message: `The method is not allowed for this path. ${moreInfo}.`, moreInfo }]);
  }
}

/** The request has a body of unknown length where the length must be declared. */
export class LengthRequiredError extends DomainError {
  readonly code = ErrorCode.InvalidRequestError;

  constructor() {
    super([{ message: 'The request must declare the length of its body.', moreInfo: 'Content-Length' }]);
  }
}

/** The space's storage, or a user's quota, would be exceeded. */
export class SpaceOverCapacityError extends DomainError {
  readonly code = ErrorCode.SpaceOverCapacityError;

  constructor(message = "The space's storage is full.") {
    super(message);
  }
}

/** A count limit would be exceeded. */
export class ResourceOverflowError extends DomainError {
  readonly code = ErrorCode.ResourceOverflowError;
}

/** A file, or a request body, is over its limit. */
export class TooLargeFileError extends DomainError {
  readonly code = ErrorCode.TooLargeFileError;
}

/** No valid credential. */
export class AuthenticationError extends DomainError {
  readonly code = ErrorCode.AuthenticationError;

  /** @param realm for which a client asks its user for a name and a password; undefined where a password is not accepted */
  constructor(readonly realm?: string) {
    super('Authentication failure.');
  }
}

/** The space requires two-factor authentication and the user has not set it up. */
export class RequiredMFAError extends DomainError {
  readonly code = ErrorCode.RequiredMFAError;

  constructor(problems: string | Problem[] = 'The space requires two-factor authentication.') {
    super(problems);
  }

  /** Creates the error for a user who can set it up. @param url of the page for this */
  static at(url: string): RequiredMFAError {
    const message = `The space requires two-factor authentication: set it up at ${url}`;
    return new RequiredMFAError([{ message, moreInfo: url }]);
  }
}

/** A code of a second factor is wrong, or has been used. */
export class WrongCodeError extends InvalidRequestError {
  constructor() {
    super([{ message: 'The code is wrong, or has been used.', moreInfo: 'code' }]);
  }
}

/** The answer of a passkey is wrong, has been used, or is that of a passkey that may not sign in here. */
export class WrongPasskeyError extends InvalidRequestError {
  constructor() {
    super([{ message: 'The passkey was not accepted.', moreInfo: 'passkey' }]);
  }
}

/** The challenge that a passkey has answered has expired. */
export class ExpiredChallengeError extends InvalidRequestError {
  constructor() {
    super([{ message: 'The page with the passkey was open for too long.', moreInfo: 'passkey' }]);
  }
}

/** Limits that a request can exceed. */
export const LIMIT_NAMES = [
  'answer_memory',
  'conversions',
  'failed_keys',
  'forgotten_passwords',
  'git_processes',
  'icon_rate',
  'large_pushes',
  'long_lists',
  'passkeys',
  'password_changes',
  'read_rate',
  'search_rate',
  'searches',
  'sign_ins',
  'unauthenticated_connections',
  'update_rate',
  'user_requests',
] as const;

export type LimitName = (typeof LIMIT_NAMES)[number];

/** The setting that changes each limit; null if none does. A limit with several settings names the one that was reached. */
export const LIMIT_SETTINGS: Readonly<Record<LimitName, string | null>> = {
  answer_memory: 'ANSWER_MEMORY_PER_USER',
  conversions: null,
  failed_keys: 'MAX_FAILED_KEYS',
  forgotten_passwords: null,
  git_processes: 'GIT_PROCESSES_PER_USER',
  icon_rate: 'RATE_LIMIT_ICON',
  large_pushes: null,
  long_lists: null,
  passkeys: null,
  password_changes: 'MAX_PASSWORD_CHANGES',
  read_rate: 'RATE_LIMIT_READ',
  search_rate: 'RATE_LIMIT_SEARCH',
  searches: null,
  sign_ins: null,
  unauthenticated_connections: 'MAX_UNAUTHENTICATED_CONNECTIONS',
  update_rate: 'RATE_LIMIT_UPDATE',
  user_requests: 'MAX_USER_REQUESTS',
};

/** The caller has exceeded a limit on requests. */
export class TooManyRequestsError extends DomainError {
  readonly code = ErrorCode.TooManyRequestsError;

  /**
   * @param limitName for the operator; not in the response
   * @param limit requests per window
   * @param remaining requests left in it
   * @param reset end of the window, in seconds since 1970
   * @param retryAfter seconds until then
   * @param setting the setting that changes the limit, or null; for the operator
   */
  constructor(
    readonly limitName: LimitName,
    readonly limit: number,
    readonly remaining: number,
    readonly reset: number,
    readonly retryAfter: number,
    readonly setting: string | null = LIMIT_SETTINGS[limitName],
  ) {
    super('Too many requests.');
  }

  /** What the operator needs to know: the limit, its setting and its value. */
  get details(): { limit: LimitName; setting: string | null; most: number } {
    return { limit: this.limitName, setting: this.setting, most: this.limit };
  }

  /**
   * Creates the error for a limit that is reached.
   * @param name for the operator; not in the response
   * @param limit maximum number at once, or in a window
   * @param waitMs milliseconds until there is room again
   * @param setting the setting of the limit, if it is not the usual one of its name; null if there is none
   */
  static after(
    name: LimitName,
    limit: number,
    waitMs: number,
    setting?: string | null,
  ): TooManyRequestsError {
    const reset = Math.ceil((Date.now() + waitMs) / 1000);
    const retryAfter = Math.max(1, Math.ceil(waitMs / 1000));
    return new TooManyRequestsError(name, limit, 0, reset, retryAfter, setting);
  }
}
