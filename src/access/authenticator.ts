import { type Caller } from './caller';

/** Finds the user of an API key. The module that stores the keys provides it. */
export abstract class Authenticator {
  /**
   * The user whose key it is, or undefined; counts as a use of the account.
   * @param userId whose it has to be, if that is known
   */
  abstract authenticate(key: string, userId?: string): Promise<Caller | undefined>;

  /** Whether the key is well-formed but has not been accepted in this process, so that only the database can tell. */
  abstract isUnproven(key: string): boolean;
}
