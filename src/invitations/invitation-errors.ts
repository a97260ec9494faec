import { InvalidRequestError } from '../errors/domain-errors';

/** Whoever has accepted an invitation is a user. */
export class AcceptedInvitationError extends InvalidRequestError {
  constructor() {
    super([{ message: 'The invitation has been accepted: remove the user.', moreInfo: 'invitationId' }]);
  }
}

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
