import { type RoleType } from './role-type';
import { type Scope } from './scopes';

/** The user who makes a request, according to its credential. */
export interface Caller {
  id: number;
  roleType: RoleType;
  /** The scopes of the key; absent if it may do whatever the user may. */
  scopes?: ReadonlySet<Scope>;
  /** Whether the user is an Administrator whose key lacks the scope `admin`; `roleType` is then that of a normal user. */
  lacksAdmin?: true;
  /** When the key expires, in milliseconds since 1970; absent if never. */
  expires?: number;
}

/** Whether the caller's key may do less than its user, or for a limited time. */
export const hasLimitedKey = ({ scopes, expires }: Caller): boolean =>
  scopes !== undefined || expires !== undefined;

/** A caller whose change is recorded in the audit log, with the address of their client. */
export interface AuditedCaller extends Caller {
  /** Null when the change was not caused by a request. */
  address: string | null;
}
