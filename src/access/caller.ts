import { type Agent } from './agent';
import { isGuest, RoleType } from './role-type';
import { type Scope } from './scopes';

/** The author of a change. */
export interface Author {
  /** The user. */
  id: number;
  /** The agent that acts for the user; absent if they act themselves. */
  agent?: Agent;
}

/** The user who makes a request, according to its credential. */
export interface Caller extends Author {
  roleType: RoleType;
  /** The scopes of the key; absent if it may do whatever the user may. */
  scopes?: ReadonlySet<Scope>;
  /** The only projects that the key reaches; absent if it reaches all of the user's projects. */
  projectIds?: ReadonlySet<number>;
  /** The id of the key, if it is limited to projects. */
  limitedKeyId?: number;
  /**
   * Whether the user is an Administrator whose key lacks the scope `admin` or is limited to projects; `roleType` is then that of a
   * normal user.
   */
  lacksAdmin?: true;
  /** Whether the user must set up a second factor before anything else (`REQUIRE_MFA`). */
  lacksFactor?: true;
  /** When the key expires, in milliseconds since 1970; absent if never. */
  expires?: number;
  /** The session of a user who has signed in in a browser; absent for a key. */
  session?: CallerSession;
}

/** The session that authenticates a request. */
export interface CallerSession {
  id: number;
  /** When the user last proved who they are, in milliseconds since 1970. */
  authenticated: number;
}

/** Whether the caller's key may do less than its user, does it for a limited time, or belongs to an agent. */
export const hasLimitedKey = ({ scopes, projectIds, expires, agent }: Caller): boolean =>
  [scopes, projectIds, expires, agent].some((limit) => limit !== undefined);

/** Whether the caller sees only the people and teams of their projects, and not all of the space (`docs/decisions/0053-people.md`). */
export const seesOnlyOwnProjects = (caller: Caller): boolean =>
  isGuest(caller) || caller.projectIds !== undefined;

/** A caller whose change is recorded in the audit log, with the address of their client. */
export interface AuditedCaller extends Caller {
  /** Null when the change was not caused by a request. */
  address: string | null;
}

/** The operator of the service, who sees everything. */
export const OPERATOR: Caller = { id: 0, roleType: RoleType.Administrator };
