import { InvalidRequestError } from '../errors/domain-errors';

/** People to be invited are users already. */
export class AlreadyUsersError extends InvalidRequestError {
  /** @param addresses their mail addresses, which a field has validated */
  constructor(readonly addresses: readonly string[]) {
    super([
      {
        message: `These mailAddresses belong to users: ${addresses.join(', ')}.`,
        moreInfo: 'mailAddresses',
      },
    ]);
  }
}
