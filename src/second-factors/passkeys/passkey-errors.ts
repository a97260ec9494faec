import { ConflictError, ResourceOverflowError } from '../../errors/domain-errors';

/** Maximum number of passkeys of a user. */
export const MAX_PASSKEYS = 20;

/** The authenticator's passkey has been added before. */
export class KnownPasskeyError extends ConflictError {
  constructor() {
    super([{ message: 'The passkey has already been added.', moreInfo: 'passkey' }]);
  }
}

/** The user has as many passkeys as there may be. */
export class TooManyPasskeysError extends ResourceOverflowError {
  constructor() {
    super([{ message: `A user can have at most ${MAX_PASSKEYS} passkeys.`, moreInfo: 'passkey' }]);
  }
}
