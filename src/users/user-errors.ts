import { InvalidRequestError } from '../errors/domain-errors';

/** Another user has the login name. */
export class TakenUserIdError extends InvalidRequestError {
  constructor() {
    super([{ message: 'Another user has this userId.', moreInfo: 'userId' }]);
  }
}

/** A key would have expired already. */
export class PastExpiryError extends InvalidRequestError {
  constructor() {
    super([{ message: 'expires must be in the future.', moreInfo: 'expires' }]);
  }
}
