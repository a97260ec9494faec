import { ConflictError } from '../errors/domain-errors';

/** A user has one authenticator app. */
export class KnownAppError extends ConflictError {
  constructor() {
    super([{ message: 'The user already has an authenticator app.', moreInfo: 'totp' }]);
  }
}

/** The secret of an authenticator app cannot be decrypted: no code of it can be checked. */
export class UnreadableAppError extends ConflictError {
  constructor() {
    super([
      {
        message:
          'The codes of the authenticator app cannot be checked at present: use a recovery code or a passkey.',
        moreInfo: 'code',
      },
    ]);
  }
}
