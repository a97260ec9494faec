import { InvalidRequestError } from '../errors/domain-errors';

/** The login name and the password do not belong together, or the user may not sign in. */
export class WrongPasswordError extends InvalidRequestError {
  constructor() {
    super([{ message: 'The login name or the password is wrong.', moreInfo: 'password' }]);
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
