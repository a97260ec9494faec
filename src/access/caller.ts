import { type RoleType } from './role-type';

/** The user who makes a request, by its credential. */
export interface Caller {
  id: number;
  roleType: RoleType;
}

/** A caller whose change is recorded in the audit log, with the address of their client. */
export interface AuditedCaller extends Caller {
  /** Null when the change came by no request. */
  address: string | null;
}
