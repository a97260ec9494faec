import { type Caller } from './caller';

/** Finds the user of an API key. Implemented by the module that stores the keys. */
export abstract class Authenticator {
  /**
   * Returns the user of the key, or undefined; counts as a use of the account.
   * @param userId the expected user, if known
   * @param isAnew whether to read the key and its user from the database, even if both are cached
   */
  abstract authenticate(key: string, userId?: string, isAnew?: boolean): Promise<Caller | undefined>;

  /** Whether the key is well-formed but has not yet been accepted in this process, so that it must be looked up in the database. */
  abstract isUnproven(key: string): boolean;
}

/** Finds the user of a session. Implemented by the module that stores the sessions. */
export abstract class SessionAuthenticator extends Authenticator {}
