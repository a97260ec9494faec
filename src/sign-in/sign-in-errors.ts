import { DomainError, ErrorCode, InvalidRequestError } from '../errors/domain-errors';

/** The login name and the password do not belong together, or the user may not sign in. */
export class WrongPasswordError extends InvalidRequestError {
  constructor() {
    super([{ message: 'The login name or the password is wrong.', moreInfo: 'password' }]);
  }
}

/** `PASSWORD_SIGN_IN` is off: the answer is the same for everybody, and nothing has been looked up for it. */
export class PasswordsOffError extends DomainError {
  readonly code = ErrorCode.UnauthorizedOperationError;

  constructor() {
    super('Signing in with passwords is switched off: use single sign-on.');
  }
}

/** The password is right, but one that everybody tries first: the user has to choose another. */
export class NewPasswordNeededError extends InvalidRequestError {
  constructor() {
    super([
      { message: 'This password is one that everybody tries first: set a new one.', moreInfo: 'password' },
    ]);
  }
}

/** A new password is one that everybody tries first. */
export class CommonPasswordError extends InvalidRequestError {
  constructor() {
    super([{ message: 'newPassword must not be one that everybody tries first.', moreInfo: 'newPassword' }]);
  }
}
