import { InvalidRequestError } from '../errors/domain-errors';

/** Another user has the login name. */
export class TakenUserIdError extends InvalidRequestError {
  constructor() {
    super([{ message: 'Another user has this userId.', moreInfo: 'userId' }]);
  }
}
