import { type RoleType } from './role-type';

/** The user who makes a request, according to its credential. */
export interface Caller {
  id: number;
  roleType: RoleType;
}

/** A caller whose change is recorded in the audit log, with the address of their client. */
export interface AuditedCaller extends Caller {
  /** Null when the change was not caused by a request. */
  address: string | null;
}
