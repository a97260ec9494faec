import { type Caller } from './caller';

/** Tells whose key a request carries. The module that stores the keys provides it. */
export abstract class Authenticator {
  /** The user whose key it is, or undefined; counts as a use of the account. */
  abstract authenticate(key: string): Promise<Caller | undefined>;

  /** Whether only the database can tell the key from a guess: it could be one, and has not worked in this process. */
  abstract isUnproven(key: string): boolean;
}
