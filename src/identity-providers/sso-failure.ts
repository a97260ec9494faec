/** What people are told about a sign-in that failed. */
export type FailureReason =
  /** The provider, or its settings here, do not work: the operator is needed. */
  | 'unavailable'
  /** The provider has refused, or the person has turned back there. */
  | 'denied'
  /** What came back is not valid. */
  | 'invalid'
  /** The browser has not been sent to the provider, or too long ago, or has come back before. */
  | 'expired'
  /** Nobody here belongs to the person, and no user may be added. */
  | 'noAccount'
  /** The identity belongs to another user. */
  | 'taken'
  /** The person is not the one who had signed in here. */
  | 'otherPerson'
  /** The provider did not ask the person again. */
  | 'notAgain';

/** A single sign-on that failed. */
export class SsoFailure extends Error {
  /**
   * @param code names the cause in the log, and on the page for the operator
   * @param detail for the log: never a secret, nor what the provider says about the person
   */
  constructor(
    readonly reason: FailureReason,
    readonly code: string,
    readonly detail = '',
  ) {
    super(detail === '' ? code : `${code}: ${detail}`);
    this.name = new.target.name;
  }
}
